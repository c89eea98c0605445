import { expect, test } from 'vitest'
import { describeFirstGate } from '../../src/cli/commands/init/describe-first-gate.ts'
import { redGateAdvice } from '../../src/cli/commands/init/red-gate-advice.ts'
import { settleConfig } from '../../src/cli/commands/init/settle-config.ts'
import type { Step } from '../../src/config/detect/project.ts'
import type { RepositoryConfigInput } from '../../src/config/schema.ts'
import type { CommandRecord, Manifest, VerifierResponse } from '../../src/domain/verification/verdict.ts'

/** The end of a repository's step with this configuration. */
interface End {
  readonly code: number
  readonly log?: string
  readonly failing?: readonly string[]
  readonly passed?: number
  readonly timedOut?: boolean
}

type Repository = (command: string, config: NonNullable<RepositoryConfigInput['verification']>) => End

const configOf = (steps: Readonly<Record<string, string>>, more: object = {}): RepositoryConfigInput => ({
  verification: { steps: Object.entries(steps).map(([name, command]) => ({ name, command })), ...more },
})

/** The gate's answer: it runs the steps until one fails. */
function verify(repository: Repository, { verification = {} }: RepositoryConfigInput): VerifierResponse {
  if (verification.prepare?.some(({ command }) => command?.includes('missing')))
    return { status: 'INFRA_ERROR', error_type: 'prepare_failed', error_message: 'no' } as VerifierResponse
  const records: CommandRecord[] = []
  let last: End = { code: 0 }
  for (const { name, command } of verification.steps ?? []) {
    last = repository(command, verification)
    records.push({ name, command, exit_code: last.code, timed_out: last.timedOut ?? false, duration_ms: 500 } as never)
    if (last.code !== 0) break
  }
  const { failing = [], passed } = last
  const manifest = {
    run_id: 'run_1',
    timestamp_start: '2026-11-03T10:00:00Z',
    timestamp_end: '2026-11-03T10:00:03Z',
    commands_executed: records,
    ...(passed !== undefined && {
      tests: { ran: passed + failing.length, passed, failed: failing.length, skipped: 0 },
    }),
    ...(failing.length > 0 && { failing }),
  } as unknown as Manifest
  const status = last.code === 0 ? 'PASS' : 'FAIL'
  return { status, manifest, tail_log: last.log ?? '' } as unknown as VerifierResponse
}

const gateOf = (answer: VerifierResponse) => describeFirstGate({ status: answer.status, answer } as never, 'again')

interface SettleOptions {
  readonly pytest?: boolean
  readonly instead?: readonly Step[]
  /** The repository without the configuration's own file. */
  readonly before?: Repository
}

async function settle(config: RepositoryConfigInput, repository: Repository, wanted: SettleOptions = {}) {
  const trial = (given: RepositoryConfigInput, world: Repository) => {
    const answer = verify(world, given)
    return Promise.resolve({ gate: gateOf(answer).gate, exitCode: 0, answer, tell: () => {} })
  }
  const settled = await settleConfig({
    config,
    machine: { pytest: wanted.pytest ?? false, ctestReports: true },
    instead: wanted.instead ?? [],
    run: (given) => trial(given, repository),
    runBefore: (given) => (wanted.before ? trial(given, wanted.before) : Promise.resolve(null)),
  })
  const { verification = {} } = settled.config
  const steps = Object.fromEntries((verification.steps ?? []).map(({ name, command }) => [name, command]))
  return { ...verification, steps, gate: settled.trial.gate, said: settled.said, ownFile: settled.ownFile }
}

const fails =
  (...commands: string[]): Repository =>
  (command) => ({ code: commands.includes(command) ? 7 : 0 })

test('a green configuration stays as it is', async () => {
  expect(await settle(configOf({ lint: 'a', test: 'b' }), fails())).toEqual({
    steps: { lint: 'a', test: 'b' },
    gate: 'green',
    said: [],
    ownFile: null,
  })
})

test('a check that fails on the untouched tree is left out, which is said; a build only when that makes it green', async () => {
  const all = configOf({ lint: 'a', 'type-check': 'b', build: 'c', test: 'd' })
  expect(await settle(all, fails('a', 'b'))).toMatchObject({
    steps: { build: 'c', test: 'd' },
    gate: 'green',
    said: [
      'The step lint is left out: `a` ends with 7 before any change. Add it again once it passes.',
      expect.stringMatching(/^The step type-check is left out: /),
    ],
  })
  expect(await settle(all, fails('c'))).toMatchObject({ steps: { lint: 'a', 'type-check': 'b', test: 'd' } })
  expect(await settle(all, fails('c', 'd'))).toMatchObject({ steps: { build: 'c' }, gate: 'red', said: [] })
})

test('tests that fail stay, and so does the only step', async () => {
  expect(await settle(configOf({ lint: 'a', test: 'b' }), fails('b'))).toMatchObject({
    steps: { lint: 'a', test: 'b' },
    gate: 'red',
    said: [],
  })
  expect(await settle(configOf({ lint: 'a' }), fails('a'))).toMatchObject({ steps: { lint: 'a' }, gate: 'red' })
})

test('a step that timed out is not left out', async () => {
  const slow: Repository = (command) => ({ code: command === 'a' ? 1 : 0, timedOut: command === 'a' })
  expect(await settle(configOf({ lint: 'a', test: 'b' }), slow)).toMatchObject({ steps: { lint: 'a' }, gate: 'red' })
})

test('tests that a script runs behind a check that fails are run alone, which is said', async () => {
  const instead = [{ name: 'test', command: 'only tests' }]
  expect(await settle(configOf({ test: 'lint && tests' }), fails('lint && tests'), { instead })).toMatchObject({
    steps: { test: 'only tests' },
    gate: 'green',
    said: ['The step test is `only tests`: the rest of `lint && tests` fails before any change.'],
  })
})

test('steps that write get a tree that they can write to: tests always, a check when its log says so', async () => {
  const writing: Repository = (_, { writes }) => (writes === 'overlay' ? { code: 0 } : { code: 1 })
  expect(await settle(configOf({ test: 'a' }), writing)).toMatchObject({
    writes: 'overlay',
    gate: 'green',
    said: [expect.stringMatching(/^"writes" is "overlay": the step test /)],
  })
  const log = "EROFS: read-only file system, open 'cache'"
  const saying: Repository = (_, config) => ({ ...writing('', config), log })
  expect(await settle(configOf({ lint: 'a' }), saying)).toMatchObject({ writes: 'overlay', gate: 'green' })
  expect(await settle(configOf({ lint: 'a' }), writing)).toMatchObject({ gate: 'red', said: [] })
})

test('a tree that can be written to is kept where fewer tests fail with it, and not where as many do', async () => {
  const few: Repository = (_, { writes }) => ({
    code: 1,
    passed: 3,
    failing: writes === 'overlay' ? ['a'] : ['a', 'b'],
  })
  expect(await settle(configOf({ test: 'x' }), few)).toMatchObject({ writes: 'overlay', gate: 'red' })
  const same: Repository = () => ({ code: 1, passed: 3, failing: ['a'] })
  expect(await settle(configOf({ test: 'x' }), same)).not.toHaveProperty('writes')
})

test.each<[string, string, boolean]>([
  ['345 specs, 85 failures', '345 specs, 1 failure', true],
  ['345 specs, 1 failure', '345 specs, 1 failure, 2 pending', false],
  ['3 examples, 1 failure', '9 examples, 2 failures', false],
  ['FAILED (failures=9, errors=1)', 'FAILED (failures=0, errors=1)', true],
  ['Tests: 9, Assertions: 9, Errors: 2, Failures: 1.', 'Tests: 9, Assertions: 12, Failures: 1.', true],
  ['# TOTAL: 9\n# PASS:  2\n# FAIL:  7\n# ERROR: 0', '# TOTAL: 9\n# PASS:  8\n# FAIL:  1\n# ERROR: 0', true],
  ['Tests failed: 12\nTests passed: 3', 'Tests failed: 2\nTests passed: 13', true],
  ['78% tests passed, 2 tests failed out of 9', '89% tests passed, 1 tests failed out of 9', true],
  ["Error: EROFS: read-only file system, mkdir 'out'", '9 tests, 1 failure', true],
  ["Error: EROFS: read-only file system, mkdir 'out'", 'TypeError: x is not a function', true],
  ["EROFS: read-only file system, mkdir 'out'", "touch: 'out': Read-only file system", false],
  ['boom', 'bang', false],
])(
  'of tests that nobody can name, %j becomes %j in a tree that can be written to, which helps: %s',
  async (deny, overlay, helps) => {
    const world: Repository = (_, { writes }) => ({
      code: 1,
      log: `a test\n${writes === 'overlay' ? overlay : deny}\n`,
    })
    const { writes, gate, said } = await settle(configOf({ test: 'a' }), world)
    expect([writes, gate, said.length]).toEqual(helps ? ['overlay', 'red', 1] : [undefined, 'red', 0])
  },
)

test('a step that fails only because of the configuration’s own file is named, and nothing is changed for it', async () => {
  expect(await settle(configOf({ lint: 'a', test: 'b' }), fails('a'), { before: fails() })).toMatchObject({
    steps: { lint: 'a', test: 'b' },
    gate: 'red',
    said: [],
    ownFile: 'lint',
  })
})

test('packages that cannot be installed are skipped if the tests pass with the machine’s own Python', async () => {
  const prepare = [
    { name: 'python', command: 'pip install missing', inputs: ['requirements.txt'], outputs: ['.venv'] },
    { name: 'other', command: 'make deps', inputs: ['lock'], outputs: ['deps'] },
  ]
  const config = configOf({ test: '.venv/bin/python -m pytest' }, { prepare })
  expect(await settle(config, fails(), { pytest: true })).toEqual({
    prepare: prepare.slice(1),
    steps: { test: 'python3 -m pytest' },
    gate: 'green',
    ownFile: null,
    said: ["The Python packages cannot be installed here: the tests run with the machine's own Python."],
  })
  for (const [pytest, world] of [[false, fails()] as const, [true, fails('python3 -m pytest')] as const])
    expect(await settle(config, world, { pytest })).toMatchObject({ prepare, gate: 'not run', said: [] })
})

test.each<[string, End, string, RegExp]>([
  ['green', { code: 0, passed: 1 }, 'green', /^The gate is green: 1 step in 0\.5 s\.$/],
  ['without a test', { code: 0, passed: 0 }, 'empty', /^THE GATE PASSES, BUT 0 TESTS RAN: .*then run: again$/],
  ['without a test of unittest', { code: 0, log: 'Ran 0 tests in 0.000s\n' }, 'empty', /0 TESTS RAN/],
  ['without a test of node', { code: 0, log: '# tests 0\n' }, 'empty', /0 TESTS RAN/],
  ['with tests that nobody can read', { code: 0, log: 'ok' }, 'green', /green/],
  [
    'red',
    { code: 2 },
    'red',
    /^The gate is red before any change: test fails\. .*exit code 2[\s\S]*drydock log run_1\n/,
  ],
])('a first gate %s is called so', (_name, end, gate, text) => {
  const said = gateOf(verify(() => end, configOf({ test: 'a' })))
  expect(said).toEqual({ gate, text: expect.stringMatching(text) })
})

test('a first gate that could not run is called so', () => {
  const answer = { status: 'INFRA_ERROR', error_type: 'sandbox_unavailable' } as unknown as VerifierResponse
  expect(gateOf(answer)).toMatchObject({ gate: 'not run', text: expect.stringContaining('drydock doctor') })
})

test.each<[string, End, readonly (string | RegExp)[]]>([
  [
    'the network',
    { code: 1, log: 'getaddrinfo ENOTFOUND example.org' },
    [/^It needs the network, which no step has\./],
  ],
  ['a name', { code: 1, log: 'curl: (6) Could not resolve host: a' }, [/^It needs the network/]],
  ['Windows line ends', { code: 2, log: "$'\\r': command not found" }, [/^A script has Windows line endings, /]],
  ['a program', { code: 127, log: 'sh: 1: cargo: not found' }, [/^A program is missing in the sandbox\./]],
  ['time', { code: 1, timedOut: true, log: 'ENOTFOUND' }, [/^The step test timed out\./]],
  [
    'a test',
    { code: 1, failing: ['a > b'] },
    [/^1 test fails already\. To let it fail, .*"allow_failing": \["a > b"\]$/],
  ],
  ['tests', { code: 1, failing: ['a', 'b'] }, [/^2 tests fail already\. To let them fail, .*: \["a","b"\]$/]],
  ['nothing known', { code: 1, log: 'boom' }, []],
])('a red first gate that lacks %s says what helps', (_name, end, advice) => {
  const said = redGateAdvice(verify(() => end, configOf({ test: 'a' })))
  expect(said).toEqual(advice.map((each) => expect.stringMatching(each)))
})
