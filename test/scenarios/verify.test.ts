import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import type { VerifierResponse } from '../../src/domain/verification/verdict.ts'
import {
  type CommandResult,
  call,
  change,
  createFixture,
  type Fixture,
  type FixtureOptions,
  greenLanes,
  parseEvents,
  passWhenNew,
  plan,
  resultOf,
  runHere,
  write,
} from './world/fixture.ts'

let fixture: Fixture
const given = async (options?: FixtureOptions) => {
  fixture = await createFixture(options)
}
afterEach(() => fixture.remove())

const answerOf = (result: CommandResult) => resultOf(result).answer as VerifierResponse
const verdicts = (result: CommandResult) =>
  result.events.filter(({ type }) => type === 'verification').map(({ status }) => status)

describe('a step that rewrites what it should check', () => {
  const manifest = (test: string) => ({ 'package.json': JSON.stringify({ scripts: { test } }) })

  test.each([
    ['in its command', 'UPDATE_SNAPSHOTS=1 cat value.txt', {}, 'UPDATE_SNAPSHOTS=1. '],
    ['in the script that it runs', 'npm test', manifest('jest -u'), '-u, in the script "test" of package.json. '],
  ])('is refused before a run is made: %s', async (_where, command, files, said) => {
    await given({ files, steps: [{ ...passWhenNew, command }] })
    const { exitCode, stderr } = await fixture.drydock('verify')
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`the step ${passWhenNew.name} rewrites the files it should check: ${said}`)
    expect(stderr).toContain('"allow_updating": ["')
  })

  test('is run where the configuration allows the flag by name', async () => {
    await given()
    const verification = {
      steps: [{ name: 'test', command: 'UPDATE_SNAPSHOTS=1 cat value.txt' }],
      allow_updating: ['UPDATE_SNAPSHOTS=1'],
    }
    await fixture.write({ '.drydock/config.json': JSON.stringify({ verification }) })
    await fixture.git('commit', '-qam', 'allow it')
    expect((await fixture.drydock('verify')).exitCode).toBe(0)
  })
})

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

  test('of a commit verifies that commit, whatever the working tree says, and prints verdict and run id', async () => {
    await given()
    await fixture.write({ 'value.txt': 'new\n' })
    const clean = await fixture.drydock('verify', 'HEAD')
    expect(clean.exitCode).toBe(3)
    expect(clean.stdout).toMatch(/^FAIL run_\d{8}_\d{6}_[0-9a-z]{6}$/m)
    await fixture.git('checkout', '-qb', 'other')
    await fixture.git('commit', '-qam', 'new')
    await fixture.git('checkout', '-q', 'main')
    const other = await fixture.drydock('verify', 'other', '--json')
    expect(other.exitCode).toBe(0)
    expect(answerOf(other).manifest).toMatchObject({
      commit_sha: await fixture.git('rev-parse', 'other'),
      tree_sha: await fixture.git('rev-parse', 'other^{tree}'),
      base_sha: await fixture.git('rev-parse', 'main'),
    })
  })

  test('takes its commands from the base commit, never from what is verified', async () => {
    await given()
    const lax = JSON.stringify({ verification: { steps: [{ name: 'test', command: 'true' }] } })
    await fixture.write({ '.drydock/config.json': lax })
    const tree = await fixture.drydock('verify', '--json')
    expect(answerOf(tree).manifest?.commands_executed).toMatchObject([{ command: passWhenNew.command, exit_code: 1 }])
    await fixture.git('checkout', '-qb', 'lax')
    await fixture.git('commit', '-qam', 'lax')
    await fixture.git('checkout', '-q', 'main')
    const commit = await fixture.drydock('verify', 'lax', '--json')
    expect(answerOf(commit).manifest?.commands_executed).toMatchObject([{ command: passWhenNew.command, exit_code: 1 }])
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

describe('a task', () => {
  test('whose editor turns the commands into `true` fails all the same', async () => {
    await given()
    const lax = JSON.stringify({ verification: { steps: [{ name: 'test', command: 'true' }] } })
    const lanes = {
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [
        call('write_file', { path: '.drydock/config.json', content: lax }),
        change('Make it easy'),
        write('new\n'),
        change(),
      ],
    }
    const done = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanes))
    expect(verdicts(done)).toEqual(['FAIL', 'PASS'])
    const [story] = resultOf(done).stories as { run_id: string }[]
    const { artifacts } = await fixture.open()
    const manifest = JSON.parse(await readFile(join(artifacts, 'runs', story?.run_id ?? '', 'manifest.json'), 'utf8'))
    expect(manifest.commands_executed).toMatchObject([{ command: passWhenNew.command, exit_code: 0 }])
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

  test('is refused a pipe, a socket or a link that a step has left among its logs, and goes on', async () => {
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

describe('with a full disk', () => {
  test('nothing is lost and nothing runs; with space again all goes on', async () => {
    await given({ steps: [{ name: 'test', command: 'true' }] })
    const [first, full, status, later] = await onSmallDisk(
      'drydock verify --json',
      'head -c 1G /dev/zero > "$STATE/ballast" 2>/dev/null; drydock verify --json',
      'rm "$STATE/ballast"; drydock status --json',
      'drydock verify --json',
    )
    expect(first?.exitCode).toBe(0)
    expect(full).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('no space left') })
    expect(full?.events).toContainEqual(expect.objectContaining({ type: 'error', code: 'disk_full' }))
    expect(status).toMatchObject({ exitCode: 0, events: [expect.objectContaining({ state: 'DONE' })] })
    expect(later?.exitCode).toBe(0)
  })

  test('a step that filled it is a resource_exhaustion on record, and what it wrote is gone', async () => {
    const command = 'head -c 50000000 /dev/zero > "$ARTIFACT_DIR/build/large" || echo full'
    await given({ steps: [{ name: 'test', command }] })
    const [full, later] = await onSmallDisk(
      'drydock verify --json',
      'test $(df --output=used -k "$STATE" | tail -1) -lt 4000 || exit 99; mount -o remount,size=100m "$STATE"; drydock verify --json',
    )
    expect(full?.exitCode).toBe(4)
    expect(full && answerOf(full)).toMatchObject({
      status: 'INFRA_ERROR',
      error_type: 'resource_exhaustion',
      error_message: expect.stringMatching(/run out of disk space.*ENOSPC/),
    })
    expect(later && answerOf(later)).toMatchObject({ status: 'PASS', tail_log: '' })
  })

  test('a step whose log filled it stops with what to do, and `resume` does it again', async () => {
    await given({ steps: [{ name: 'test', command: 'yes | head -c 20000000' }] })
    const [full, later] = await onSmallDisk(
      'drydock verify --json',
      'mount -o remount,size=100m "$STATE"; drydock resume --json',
    )
    expect(full).toMatchObject({ exitCode: 4, stderr: expect.stringMatching(/no space left.*\n.*drydock resume/i) })
    expect(later && answerOf(later).status).toBe('PASS')
  })
})

const retriedLanes = {
  'editor/task@2/PLANNING': [plan()],
  'editor/task@2/CODING': [write('new\n'), change()],
}

/** A PATH on which there is all but a sandbox. */
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

const program = join(import.meta.dirname, '../../src/cli/main.ts')

/**
 * Runs each line of a shell with a state of 6 MB that is gone afterwards; `drydock` is the real
 * program in a process of its own.
 */
async function onSmallDisk(...lines: readonly string[]): Promise<readonly CommandResult[]> {
  const state = fixture.env.DRYDOCK_HOME ?? ''
  await mkdir(state)
  const script = [
    'drydock() { "$NODE" "$PROGRAM" "$@" --repo "$REPO"; }',
    'mount -t tmpfs -o size=6m none "$STATE" || exit 1',
    ...lines.map((line, i) => `(${line}) > "$OUT/${i}.out" 2> "$OUT/${i}.err"; echo $? > "$OUT/${i}.code"`),
  ].join('\n')
  const env = {
    ...fixture.env,
    STATE: state,
    REPO: fixture.repo,
    OUT: fixture.folder,
    NODE: process.execPath,
    PROGRAM: program,
  }
  const unshared = ['--user', '--map-root-user', '--mount', 'sh', '-c', script]
  await promisify(execFile)('unshare', unshared, { env, timeout: 300_000 })
  const read = (i: number, what: string) => readFile(join(fixture.folder, `${i}.${what}`), 'utf8')
  return Promise.all(
    lines.map(async (_line, i) => {
      const stdout = await read(i, 'out')
      const exitCode = Number(await read(i, 'code'))
      return { exitCode, stdout, stderr: await read(i, 'err'), events: parseEvents(stdout) }
    }),
  )
}

describe('a green verification that proves little', () => {
  test('says where it is shown that 0 tests ran', async () => {
    await given({ steps: [{ ...passWhenNew, command: 'node --test --test-reporter=spec' }] })
    const verified = await fixture.drydock('verify', '--json')
    expect(resultOf(verified)).toMatchObject({
      outcome: { code: 'PASS', sentence: 'The verification passed, but 0 tests ran.' },
      answer: {
        manifest: {
          outcome: { code: 'PASS', sentence: 'The verification passed, but 0 tests ran.' },
          tests: { ran: 0, passed: 0, failed: 0, skipped: 0 },
          commands_executed: [{ tests: { ran: 0 } }],
        },
      },
    })
    expect(verified.exitCode).toBe(0)
    expect((await fixture.drydock('verify')).stdout).toMatch(/^Note: 0 tests ran\.\nPASS run_\w+$/m)
    expect((await fixture.drydock('status')).stdout).toMatch(/ PASS .* verify the working tree: 0 tests ran$/m)
    const { run } = resultOf(verified)
    expect((await fixture.drydock('report', String(run))).stdout).toMatch(/^- Verdict: PASS, 0 tests ran, run_id run_/m)
    const done = await fixture.drydock('task', 'say new', '--model', await fixture.replay(greenLanes))
    expect(done.stdout).toMatch(/^Verified: {2}PASS, 0 tests ran, run_id run_/m)
    expect((await fixture.drydock('report')).stdout).toContain('- 0 tests ran')
    const shown = await fixture.drydock('receipt', 'show', 'drydock/say-new')
    expect(shown.stdout).toMatch(/^Verified: PASS in .*\nTests: 0 tests ran$/m)
    const proven = await fixture.drydock('receipt', 'verify', 'drydock/say-new')
    expect(proven.stdout).toMatch(/PASS in run_\w+, but 0 tests ran, nobody reviewed it/)
    await fixture.git('merge', '-q', '--ff-only', 'drydock/say-new')
    expect(await fixture.drydock('receipt', 'verify')).toMatchObject({ exitCode: 0, stdout: proven.stdout })
  })

  test('says that no test results were read where no runner is known', async () => {
    await given({ steps: [{ ...passWhenNew, command: 'true' }] })
    const verified = await fixture.drydock('verify', '--json')
    expect(resultOf(verified).outcome).toMatchObject({
      sentence: 'The verification passed, but no test results were read.',
    })
    expect(answerOf(verified).manifest).not.toHaveProperty('tests')
    const [status] = (await fixture.drydock('status', '--json')).events
    expect(status).toMatchObject({ verdict: 'PASS', outcome: { code: 'PASS', tone: 'good' } })
  })
})
