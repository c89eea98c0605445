import { execFile, spawnSync } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { VerifierResponse } from '../../../src/domain/verification/verdict.ts'
import {
  type CommandResult,
  call,
  change,
  createFixture,
  type Fixture,
  type FixtureOptions,
  greenLanes,
  parseEvents,
  plan,
  resultOf,
  write,
} from '../../scenarios/world/fixture.ts'

let fixture: Fixture
const given = async (options?: FixtureOptions) => {
  fixture = await createFixture(options)
}
beforeEach(({ skip }) => {
  const { status } = spawnSync('unshare', [...namespace, 'mount', '-t', 'tmpfs', 'none', '/mnt'])
  if (status !== 0) skip('a user namespace may not mount a tmpfs here')
})
afterEach(() => fixture.remove())

const answerOf = (result: CommandResult) => resultOf(result).answer as VerifierResponse
describe('with a full disk', () => {
  test('nothing is lost and nothing runs; with space again everything continues', async () => {
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

  test('a step whose log filled it is told as that, and verified again with space', async () => {
    await given({ steps: [{ name: 'test', command: 'yes | head -c 20000000' }] })
    const [full, later] = await onSmallDisk(
      'drydock verify --json',
      'mount -o remount,size=100m "$STATE"; drydock verify --json',
    )
    expect(full?.exitCode).toBe(4)
    // Either the step is ended for its disk usage, or a write of Drydock fails first.
    expect(full?.stdout).toMatch(/"error_type":"resource_exhaustion"|"code":"disk_full"/)
    expect(later && answerOf(later).status).toBe('PASS')
  })
})

describe('with few files (inodes) left', () => {
  test('an agent that creates twenty thousand is ended in time, told so, and continues', async () => {
    await given()
    const model = await fixture.replay({
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [
        sh('mkdir many && cd many && seq 20000 | xargs touch; echo made'),
        sh('rm -r many; echo removed'),
        write('new\n'),
        change(),
      ],
    })
    const [done] = await onSmallDisk(
      { options: 'size=300m,nr_inodes=12000', model },
      'drydock task "say new" --json --model "$MODEL"; tell',
    )
    expect(done?.stdout + (done?.stderr ?? '')).not.toContain('this is a bug')
    expect(done?.events).toContainEqual(expect.objectContaining({ type: 'result', status: 'DONE' }))
    expect(done?.stdout).toMatch(/running out of files \(inodes\): \d+ could be made when the command began/)
  })

  test('a run that finds none waits, and continues by itself when some are free', async () => {
    await given()
    const model = await fixture.replay({
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [sh('until [ -e go ]; do sleep 0.1; done; rm go'), write('new\n'), change()],
    })
    const [done] = await onSmallDisk(
      { options: 'size=300m,nr_inodes=12000', model },
      [
        'drydock task "say new" --json --model "$MODEL" & task=$!',
        'until grep -q \'"to":"CODING"\' "$OUT/0.out"; do sleep 0.1; kill -0 $task || exit 98; done',
        'mkdir "$STATE/ballast"; for w in "$STATE"/*/workspaces/coder-001; do touch "$w/go"; done',
        '(cd "$STATE/ballast"; seq 12000 | xargs touch 2>/dev/null)',
        'until grep -q \'"type":"suspended"\' "$OUT/0.out"; do sleep 0.1; kill -0 $task || exit 99; done',
        'rm -r "$STATE/ballast"; wait $task',
      ].join('\n'),
    )
    expect(done, done?.stdout).toMatchObject({ exitCode: 0 })
    expect(done?.events.map(({ type }) => type)).toEqual(expect.arrayContaining(['suspended', 'resumed']))
    expect(done?.events).toContainEqual(expect.objectContaining({ type: 'result', status: 'DONE' }))
  })

  test('a verification that meets such a disk is done again when there are some', async () => {
    const command = 'until [ -e "$ARTIFACT_DIR/tmp/go" ]; do sleep 0.1; done; grep -q new value.txt'
    await given({ steps: [{ name: 'test', command }] })
    const model = await fixture.replay(greenLanes)
    const steps = 'find "$STATE" -type d -path "*/seen/tmp"'
    const [done] = await onSmallDisk(
      { options: 'size=300m,nr_inodes=12000', model },
      [
        'drydock task "say new" --json --model "$MODEL" & task=$!',
        'until grep -q \'"to":"VERIFYING"\' "$OUT/0.out"; do sleep 0.1; kill -0 $task || exit 98; done',
        'mkdir "$STATE/ballast"; (cd "$STATE/ballast"; seq 12000 | xargs touch 2>/dev/null)',
        `until grep -q '"type":"suspended"' "$OUT/0.out"; do kill -0 $task || exit 99`,
        `for tmp in $(${steps}); do [ -e "$tmp/go" ] || mv "$STATE/ballast/1" "$tmp/go"; done; sleep 0.1; done`,
        'rm -r "$STATE/ballast"',
        `while kill -0 $task; do for tmp in $(${steps}); do touch "$tmp/go"; done; sleep 0.1; done; wait $task`,
      ].join('\n'),
    )
    expect(done, done?.stdout).toMatchObject({ exitCode: 0 })
    expect(done?.events).toContainEqual(expect.objectContaining({ type: 'suspended', because: 'disk' }))
    expect(done?.events).toContainEqual(expect.objectContaining({ type: 'result', status: 'DONE' }))
  })

  test('a command is told that the disk is full, not of a bug, and the state is whole afterwards', async () => {
    await given({ steps: [{ name: 'test', command: 'true' }] })
    const fill = 'mkdir "$STATE/ballast"; (cd "$STATE/ballast"; seq 12000 | xargs touch 2>/dev/null); '
    const [first, full, resumed, later] = await onSmallDisk(
      { options: 'size=100m,nr_inodes=3000' },
      'drydock verify --json',
      `${fill}drydock verify --json`,
      'drydock resume --json',
      'rm -r "$STATE/ballast"; drydock verify --json',
    )
    expect(first?.exitCode).toBe(0)
    for (const told of [full, resumed]) {
      expect(`${told?.stdout}${told?.stderr}`).not.toContain('"bug"')
      expect(`${told?.stdout}${told?.stderr}`).not.toContain('state_unusable')
    }
    expect(full).toMatchObject({
      exitCode: 4,
      stdout: expect.stringMatching(/"code":"disk_full"|run out of disk space/),
    })
    expect(later && answerOf(later).status).toBe('PASS')
  })
})

test('on a disk of 500 MiB an agent that writes without end leaves what Drydock needs', async () => {
  await given()
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [
      sh('for i in 1 2 3 4; do dd if=/dev/zero of=large$i bs=32M 2>/dev/null & done; wait'),
      sh('rm large*'),
      write('new\n'),
      change(),
    ],
  })
  const [done] = await onSmallDisk(
    { options: 'size=500m', model },
    'drydock task "say new" --json --model "$MODEL"; tell',
  )
  expect(done?.events, done?.stdout).toContainEqual(expect.objectContaining({ type: 'result', status: 'DONE' }))
  const [, left] = /running full: free space fell from [\d.]+ MiB to ([\d.]+) MiB/.exec(done?.stdout ?? '') ?? []
  expect(Number(left)).toBeGreaterThan(32)
})

const sh = (command: string) => call('run_command', { command, timeout_sec: 120 })
const told =
  'const { DatabaseSync } = require("node:sqlite"); for (const { result } of new DatabaseSync(process.argv[1]).prepare("select result from tool_executions").all()) console.log(result)'

const program = join(import.meta.dirname, '../../../src/cli/main.ts')

const namespace = ['--user', '--map-root-user', '--mount']

interface Disk {
  readonly options: string
  readonly model?: string
}

/**
 * Runs each line of shell with a state on a small disk that is removed afterwards, of 6 MB by
 * default; `drydock` is the real program in a separate process, and `tell` prints the messages to
 * models.
 */
async function onSmallDisk(...given: readonly (Disk | string)[]): Promise<readonly CommandResult[]> {
  const [disk = { options: 'size=6m' }] = given.filter((each) => typeof each !== 'string')
  const lines = given.filter((each) => typeof each === 'string')
  const state = fixture.env.DRYDOCK_HOME ?? ''
  await mkdir(state)
  const script = [
    'drydock() { "$NODE" "$PROGRAM" "$@" --repo "$REPO"; }',
    `tell() { for file in "$STATE"/*/drydock.db; do "$NODE" -e '${told}' "$file"; done; }`,
    `mount -t tmpfs -o ${disk.options} none "$STATE" || exit 1`,
    ...lines.map((line, i) => `(${line}) > "$OUT/${i}.out" 2> "$OUT/${i}.err"; echo $? > "$OUT/${i}.code"`),
  ].join('\n')
  const env = {
    ...fixture.env,
    STATE: state,
    REPO: fixture.repo,
    OUT: fixture.folder,
    NODE: process.execPath,
    PROGRAM: program,
    MODEL: disk.model ?? '',
  }
  const unshared = [...namespace, 'sh', '-c', script]
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
