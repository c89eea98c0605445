import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import type { VerifierResponse } from '../../../src/domain/verification/verdict.ts'
import {
  type CommandResult,
  call,
  change,
  createFixture,
  type Fixture,
  type FixtureOptions,
  greenLanes,
  passWhenNew,
  plan,
  resultOf,
  runHere,
  write,
} from '../../scenarios/world/fixture.ts'

let fixture: Fixture
const given = async (options?: FixtureOptions) => {
  fixture = await createFixture(options)
}
afterEach(() => fixture.remove())

const answerOf = (result: CommandResult) => resultOf(result).answer as VerifierResponse

describe('drydock verify', () => {
  test('ends with 4 when the user’s file names a folder that does not exist', async () => {
    await given()
    await mkdir(join(fixture.folder, 'config/drydock'), { recursive: true })
    const user = { sandbox: { read_only_paths: [join(fixture.folder, 'no-such-toolchain')] } }
    await writeFile(join(fixture.folder, 'config/drydock/config.json'), JSON.stringify(user))
    const done = await fixture.drydock('verify', '--json')
    expect(done.exitCode).toBe(4)
    expect(answerOf(done)).toMatchObject({ error_type: 'container_creation' })
  })
})

const verdicts = (result: CommandResult) =>
  result.events.filter(({ type }) => type === 'verification').map(({ status }) => status)

describe('a task', () => {
  test('without a sandbox ends as INFRA_ERROR with a stuck report and exit code 4', async () => {
    await given()
    const PATH = await programsWithoutBubblewrap()
    const model = await fixture.replay(greenLanes)
    const done = await drydockWith({ PATH }, 'task', 'say new', '--json', '--model', model)
    expect(done.exitCode).toBe(4)
    expect(resultOf(done)).toMatchObject({
      status: 'INFRA_ERROR',
      branch: null,
      stories: [
        {
          state: 'INFRA_ERROR',
          error_type: 'sandbox_unavailable',
          error_message: expect.stringContaining('apt-get install bubblewrap'),
          stuck_report: expect.stringContaining('sandbox_unavailable'),
        },
      ],
    })
    const again = await fixture.drydock('retry', '--json', '--model', await fixture.replay(retriedLanes))
    expect(resultOf(again)).toMatchObject({ status: 'DONE', stories: [{ state: 'DONE' }] })
  })

  test('is refused a pipe, a socket or a link that a step has left among its logs, and continues', async () => {
    const plant = `cd "$ARTIFACT_DIR/logs"; mkfifo pipe; ln -s /etc/hostname link; perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => "socket", Listen => 1) or die'`
    await given({ steps: [{ ...passWhenNew, command: `(${plant}) || exit 9; ${passWhenNew.command}` }] })
    const look = ['pipe', 'socket', 'link', '../manifest.json', 'combined.log'].map((name) =>
      call('read_file', { path: `artifact:\${run_id}/logs/${name}` }),
    )
    const lanes = {
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [change('Nothing yet'), ...look, write('new\n'), change()],
    }
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
    expect(resultOf(done)).toMatchObject({ status: 'DONE' })
    const calls = done.events.filter(({ type, tool }) => type === 'tool' && tool === 'read_file')
    expect(calls.map(({ ok }) => ok)).toEqual([false, false, false, false, true])
  })
})

const retriedLanes = {
  'editor/task@2/PLANNING': [plan()],
  'editor/task@2/CODING': [write('new\n'), change()],
}

/** A PATH with everything except a sandbox. */
async function programsWithoutBubblewrap(): Promise<string> {
  const folder = join(fixture.folder, 'programs')
  await mkdir(folder)
  for (const name of ['git', 'find', 'mkfifo', 'sh']) {
    const { stdout } = await promisify(execFile)('sh', ['-c', `command -v ${name}`])
    await symlink(stdout.trim(), join(folder, name))
  }
  return folder
}

async function drydockWith(env: Readonly<Record<string, string>>, ...args: string[]): Promise<CommandResult> {
  return runHere([...args, '--repo', fixture.repo], { ...fixture.env, ...env })
}

describe('a task', () => {
  test('has a receipt that says so where 0 tests ran', async () => {
    await given({ steps: [{ ...passWhenNew, command: 'node --test --test-reporter=spec' }] })
    await fixture.drydock('task', 'say new', '--model', await fixture.replay(greenLanes))
    const shown = await fixture.drydock('receipt', 'show', 'drydock/say-new')
    expect(shown.stdout).toMatch(/^Verified: PASS in .*\nTests: 0 tests ran$/m)
    const proven = await fixture.drydock('receipt', 'verify', 'drydock/say-new')
    expect(proven.stdout).toMatch(/PASS in run_\w+, but 0 tests ran, nobody reviewed it/)
    await fixture.git('merge', '-q', '--ff-only', 'drydock/say-new')
    expect(await fixture.drydock('receipt', 'verify')).toMatchObject({ exitCode: 0, stdout: proven.stdout })
  })

  test('whose editor only plants what git ignores fails', async () => {
    await given({ files: { '.gitignore': 'out/\n' }, steps: [{ name: 'test', command: 'cat out/result' }] })
    const lanes = {
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [
        call('run_command', { command: 'mkdir out && echo ok > out/result && echo ok > .git/info/planted' }),
        change('Built'),
        call('write_file', { path: '.gitignore', content: '' }),
        change('Keep it'),
      ],
    }
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
    expect(verdicts(done)).toEqual(['FAIL', 'PASS'])
  })
})
