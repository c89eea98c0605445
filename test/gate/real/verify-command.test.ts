import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import type { VerifierResponse } from '../../../src/domain/verification/verdict.ts'
import {
  type CommandResult,
  createFixture,
  type Fixture,
  type FixtureOptions,
  passWhenNew,
  resultOf,
  runHere,
} from '../../scenarios/world/fixture.ts'

let fixture: Fixture
const given = async (options?: FixtureOptions) => {
  fixture = await createFixture(options)
}
afterEach(() => fixture.remove())

const answerOf = (result: CommandResult) => resultOf(result).answer as VerifierResponse

describe('drydock verify', () => {
  test('ends with 3 for a FAIL and with 0 for a PASS of the working tree, untracked files and all', async () => {
    await given({ files: { '.gitignore': '*.ignored\n' }, steps: [{ ...passWhenNew, command: 'cat *.txt *.ignored' }] })
    await fixture.write({ 'a.ignored': 'never seen\n', 'untracked.txt': 'untracked\n', 'value.txt': 'edited\n' })
    const failed = await fixture.drydock('verify', '--json')
    expect(answerOf(failed)).toMatchObject({
      status: 'FAIL',
      tail_log: expect.stringMatching(/^untracked\nedited\ncat:/),
    })
    expect(failed.exitCode).toBe(3)
    expect(failed.events[0]).toMatchObject({ type: 'run', run: expect.any(String) })
    expect(failed.stdout.trimEnd().split('\n').at(-1)).toContain('"type":"result"')

    await fixture.write({ 'a.ignored': 'never seen\n', '.gitignore': '' })
    const passed = await fixture.drydock('verify', '--json')
    expect(passed.exitCode).toBe(0)
    const answer = answerOf(passed)
    const log = ['logs/combined.log', `logs/step-01-${passWhenNew.name}.log`, 'manifest.json']
    expect(answer).toMatchObject({
      status: 'PASS',
      run_id: expect.stringMatching(/^run_\d{8}_\d{6}_[0-9a-z]{6}$/),
      tail_log: 'untracked\nedited\nnever seen',
      artifact_paths: log,
      manifest: { status: 'PASS', base_sha: await fixture.git('rev-parse', 'HEAD') },
    })
    expect(answer.run_id).not.toBe(answerOf(failed).run_id)
    const { artifacts } = await fixture.open()
    const folder = join(artifacts, 'runs', answer.run_id)
    expect(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))).toEqual(answer.manifest)
    expect(await fixture.git('status', '--porcelain')).toBe(
      'M .gitignore\n M value.txt\n?? a.ignored\n?? untracked.txt',
    )
  })

  test('ends with 4, and names the line that installs a sandbox, when there is none', async () => {
    await given()
    const PATH = await programsWithoutBubblewrap()
    const done = await drydockWith({ PATH }, 'verify', '--json')
    expect(answerOf(done)).toMatchObject({
      status: 'INFRA_ERROR',
      error_type: 'sandbox_unavailable',
      error_message: expect.stringContaining('apt-get install bubblewrap'),
    })
    expect(resultOf(done).status).toBe('INFRA_ERROR')
    expect(done.exitCode).toBe(4)
    expect((await drydockWith({ PATH }, 'verify')).stdout).toContain('apt-get install bubblewrap')
  })
})

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
