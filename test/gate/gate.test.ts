import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limits } from '../../src/domain/limits.ts'
import { whyFailed } from '../../src/domain/verification/why-failed.ts'
import { type MemoryGate, makeMemoryGate } from './memory-gate.ts'
import type { VerifierInput } from './verifier-world.ts'

const testOf = (name: string, line = `assert.equal(add(1, 2), 3)`, options = '') =>
  `test('${name}', ${options}() => { ${line} })\n`
const head = `import test from 'node:test'\nimport assert from 'node:assert'\nimport { add } from '../src/add.js'\n`
const emptied = `// ${'Elsewhere. '.repeat(40)}\nimport test from 'node:test'\n${testOf('adds', '')}${testOf('adds again', '')}`
const source = 'export const add = (a, b) => a + b\n'
const files = {
  'package.json': '{ "name": "sum", "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/add.js': source,
  'test/add.test.js': head + testOf('adds') + testOf('adds again'),
  '.github/workflows/ci.yml': 'on: push\n',
}
const steps = [{ command: 'node --test --test-reporter=spec' }]

const hangs = () => ({ exitCode: null, output: 'TAP version 13\nnot ok 1 - a\n', timedOut: true })

let world: MemoryGate
const worldOf = (more: Readonly<Record<string, string>> = {}) => {
  beforeAll(async () => {
    world = makeMemoryGate({ ...files, ...more }, { hangs })
  })
  afterAll(() => world.close())
}

/** Verifies a change of the base; null deletes a file. */
async function verifyChange(change: Readonly<Record<string, string | null>>, more: Partial<VerifierInput> = {}) {
  const commit = await world.commitChange(change)
  return world.ask({ steps, purpose: 'change', commit, ...more })
}

const kinds = async (change: Readonly<Record<string, string | null>>, more: Partial<VerifierInput> = {}) => {
  const { manifest, status, tail_log } = await verifyChange(change, more)
  expect([status, status === 'PASS' ? '' : tail_log]).toEqual(['PASS', ''])
  return manifest?.integrity?.findings.map(({ kind, file }) => `${kind} ${file}`.trim())
}

describe('the effect of a green change on the gate', () => {
  worldOf({ 'test.sh': 'node --test --test-reporter=spec\n', 'tools/zz.sh': 'sh test.sh\n' })

  test('is nothing for one that only adds code and tests which need it', async () => {
    const { manifest } = await verifyChange({
      'src/sub.js': 'export const sub = (a, b) => a - b\n',
      'test/sub.test.js':
        head.replace('add }', 'sub }').replace('add.js', 'sub.js') + testOf('subtracts', 'assert.equal(sub(2, 1), 1)'),
    })
    expect(manifest).toMatchObject({
      tests: { passed: 3, failed: 0, skipped: 0 },
      base: { commit_sha: world.tip, status: 'PASS', tests: { passed: 2, failed: 0, skipped: 0 } },
      integrity: { findings: [], proof: { status: 'proven' } },
    })
  })

  test.each([
    ['a removed test', { 'test/add.test.js': head + testOf('adds') }, ['tests_removed']],
    [
      'a removed test file',
      { 'test/add.test.js': null, 'test/other.test.js': head + testOf('else') },
      ['tests_removed'],
    ],
    [
      'a skipped test',
      { 'test/add.test.js': head + testOf('adds') + testOf('adds again', undefined, '{ skip: true }, ') },
      ['tests_skipped'],
    ],
    [
      'an emptied test',
      { 'test/add.test.js': head + testOf('adds') + testOf('adds again', '') },
      ['fewer_assertions test/add.test.js'],
    ],
    [
      'an assertion that cannot fail',
      { 'test/add.test.js': head + testOf('adds') + testOf('adds again', 'assert.ok(true)') },
      ['fewer_assertions test/add.test.js'],
    ],
    [
      'tests that moved, and were emptied on the way',
      { 'test/add.test.js': null, 'test/sum.test.js': emptied },
      ['fewer_assertions test/add.test.js'],
    ],
    ['a workflow of CI', { '.github/workflows/ci.yml': 'on: never\n' }, ['configuration .github/workflows/ci.yml']],
    [
      'a script of the package',
      { 'package.json': files['package.json'].replace('node --test', 'true') },
      ['configuration package.json'],
    ],
    ['a runner’s configuration', { 'vitest.config.js': 'export default {}\n' }, ['configuration vitest.config.js']],
    ['shared test set-up', { 'test/setup.js': '// nothing\n' }, ['configuration test/setup.js']],
    ['a lock file', { 'package-lock.json': '{}\n' }, ['configuration package-lock.json']],
    ['the configuration of the gate', { '.drydock/config.json': '{}\n' }, ['configuration .drydock/config.json']],
    [
      'the version of the package, which decides nothing',
      { 'package.json': files['package.json'].replace('"sum"', '"sum", "version": "2.0.0"') },
      [],
    ],
  ] as const)('shows %s', async (_what, change, expected) => {
    expect(await kinds({ ...change, 'src/more.js': '// more\n' }, { refactor: true })).toEqual(expected)
  })

  test('shows a runner that no longer says what it runs', async () => {
    const quiet = { 'test.sh': 'node --test > "$ARTIFACT_DIR/tmp/out"\n' }
    expect(await kinds(quiet, { steps: [{ command: 'sh test.sh' }], refactor: true })).toEqual([
      'tests_unread',
      'configuration test.sh',
    ])
  })

  const hooked = "import test from 'node:test'\nif (test.beforeEach) test.beforeEach(() => {})\n"
  test.each([
    ['tests in a file that is called as set-up is', 'test/main.js', [0, 1], []],
    ['a new file of tests of a set-up', 'test/setup.test.js', [null, 1], []],
    ['set-up that gets a test beside it', 'test/setup.js', ['// nothing\n', 1], ['configuration']],
    ['tests that become set-up', 'test/main.js', [0, hooked], ['tests_removed', 'configuration']],
    ['new hooks', 'test/hooks.js', [null, hooked], ['configuration']],
  ] as const)('by %s is told by its content', async (_what, path, versions, expected) => {
    const [before = null, after = null] = versions.map((each) =>
      typeof each === 'number' ? head + testOf('adds too') + (each === 1 ? testOf('adds more') : '') : each,
    )
    const base = before === null ? world.tip : world.commitOf({ [path]: before })
    const commit = world.commitOf({ [path]: after, 'src/more.js': '// more\n' }, base)
    const { status, manifest } = await world.ask({ steps, purpose: 'change', refactor: true, base, commit })
    expect([status, manifest?.integrity?.findings.map(({ kind }) => kind)]).toEqual(['PASS', expected])
    const kind = manifest?.files?.find((file) => file.path === path)?.is
    expect(kind).toBe([...expected, ''].includes('configuration') ? 'config' : 'test')
  })

  const manyFiles = (name: (n: number) => string) =>
    Object.fromEntries(Array.from({ length: limits.gate.files + 10 }, (_, n) => [name(n), `${n}\n`]))

  test('is found among any number of ordinary files', async () => {
    const change = { ...manyFiles((n) => `a/${n}.txt`), 'tools/zz.sh': 'sh test.sh && true\n' }
    expect(await kinds(change, { steps: [{ command: 'sh tools/zz.sh' }], refactor: true })).toEqual([
      'configuration tools/zz.sh',
    ])
  })

  test('in more files than are looked at one by one is said to be, in no more findings than a reviewer can take', async () => {
    const { manifest } = await verifyChange(manyFiles((n) => `.github/workflows/${n}.yml`))
    const claims = manifest?.integrity?.findings.map(({ claim }) => claim) ?? []
    expect(claims).toHaveLength(limits.gate.findings)
    expect(claims[0]).toBe('10 more test and configuration files are changed than are looked at one by one.')
    expect(claims.at(-1)).toMatch(/^\d+ more places in which the change touches the gate\.$/)
    const evidence = manifest?.integrity?.findings.reduce((sum, each) => sum + each.evidence.length, 0)
    expect(evidence).toBeLessThan(limits.gate.evidenceChars * 1.2)
  })

  test('has the same ids in each verification of the same change, and others for another', async () => {
    const ids = async (content: string) =>
      (await verifyChange({ 'test/add.test.js': content })).manifest?.integrity?.findings.map(({ id }) => id)
    const once = await ids(head + testOf('adds'))
    expect(once).toEqual(await ids(head + testOf('adds')))
    expect(once?.[0]).not.toBe((await ids(head + testOf('adds again')))?.[0])
  })

  test('is not looked at for one slice, nor where nothing was changed', async () => {
    const slice = await verifyChange({ 'test/add.test.js': head + testOf('adds') }, { purpose: 'slice' })
    expect(slice.manifest?.integrity).toBeUndefined()
    const same = await world.ask({ steps, purpose: 'change', commit: world.tip })
    expect([same.status, same.manifest?.integrity, same.manifest?.base]).toEqual(['PASS', undefined, undefined])
  })

  test('is compared with the tests of the base, which are run once for all changes', async () => {
    const count = { steps: [{ command: 'echo base ran; node --test --test-reporter=spec' }] }
    const first = await verifyChange({ 'src/a.js': '\n' }, count)
    const second = await verifyChange({ 'src/b.js': '\n' }, count)
    const hasLog = ({ artifact_paths }: typeof first) => artifact_paths?.includes('logs/base.log')
    expect([hasLog(first), hasLog(second)]).toEqual([true, false])
    expect(second.manifest?.base?.tests).toEqual({ ran: 2, passed: 2, failed: 0, skipped: 0 })
  })
})

describe('proof of test', () => {
  worldOf()
  const wrong = {
    'test/add.test.js': head + testOf('adds') + testOf('adds again') + testOf('is there', 'assert.ok(add)'),
  }

  test('holds new tests against a change that pass without it', async () => {
    expect(await kinds({ ...wrong, 'src/add.js': `${source}// faster\n` })).toEqual(['no_proof'])
  })

  test('names the tests that fail without the change, and new ones that do not', async () => {
    const twice = `${source}export const twice = (a) => add(a, a)\n`
    const content = `${head.replace('{ add }', '* as all')}const { add, twice } = all\n${testOf('adds')}${testOf('adds again')}${testOf('doubles', 'assert.equal(twice(2), 4)')}${testOf('is weak', 'assert.ok(add)')}`
    const { manifest } = await verifyChange({ 'src/add.js': twice, 'test/add.test.js': content })
    expect(manifest?.integrity).toEqual({
      findings: [],
      proof: { status: 'proven', failing: ['doubles'], passing: ['is weak'] },
    })
    expect(manifest?.tests).toEqual({ ran: 4, passed: 4, failed: 0, skipped: 0 })
  })

  test.each([
    ['no test was added or changed', { 'src/add.js': `${source}\n` }, {}],
    [
      'no test was added or changed',
      { 'src/add.js': `${source}\n`, 'test/add.test.js': head + testOf('adds again') + testOf('adds') },
      {},
    ],
    ['only tests were changed', wrong, {}],
    [
      'the accepted plan declares a change that no test can see',
      { ...wrong, 'src/add.js': `${source}\n` },
      { refactor: true },
    ],
  ] as const)('says why it is not asked for: %s', async (reason, change, more) => {
    const { manifest } = await verifyChange(change, more)
    expect(manifest?.integrity).toEqual({ findings: [], proof: { status: 'not_applicable', reason } })
  })

  test('leaves nothing behind but a log', async () => {
    const { run_id, artifact_paths } = await verifyChange({ ...wrong, 'src/add.js': `${source}\n` })
    expect(artifact_paths).toEqual(expect.arrayContaining(['logs/proof.log', 'logs/tests.json']))
    expect(world.read(run_id, 'logs/proof.log')).toContain('is there')
    expect(world.left().filter((name) => name.includes(run_id))).toEqual([run_id])
  })
})

describe('a test that fails', () => {
  worldOf()
  /** Fails the first time in a verification, and passes when the step is repeated. */
  const flaky = testOf(
    'now and then',
    `const seen = process.env.ARTIFACT_DIR + '/tmp/seen'; if (!fs.existsSync(seen)) { fs.writeFileSync(seen, ''); assert.fail('first') }`,
  )
  const withFlaky = `import fs from 'node:fs'\n${files['test/add.test.js']}${flaky}`
  const broken = testOf('broken', 'assert.equal(1, 2)')

  test('and passes when the step is run again unchanged is FLAKY, and the verification is green', async () => {
    const { status, tail_log, manifest } = await verifyChange(
      { 'test/add.test.js': withFlaky, 'src/add.js': `${source}\n` },
      { refactor: true },
    )
    expect(status).toBe('PASS')
    expect(tail_log).toContain('[drydock] FLAKY, failed and passed without a change: now and then')
    expect(manifest).toMatchObject({
      flaky: ['now and then'],
      commands_executed: [{ name: 'test', exit_code: 0 }],
      reruns: [{ name: 'test', exit_code: 1 }],
      tests: { passed: 3, failed: 0 },
    })
  })

  test('twice is a FAIL', async () => {
    const { status, manifest, only_flaky } = await verifyChange({
      'test/add.test.js': files['test/add.test.js'] + broken,
    })
    expect([status, only_flaky, manifest?.failing, manifest?.pre_existing]).toEqual([
      'FAIL',
      undefined,
      ['broken'],
      undefined,
    ])
  })

  test('once, while another fails in the other run, is nobody’s failure and still not green', async () => {
    const other = flaky
      .replace('now and then', 'the other way round')
      .replace('!fs', 'fs')
      .replace("fs.writeFileSync(seen, ''); ", '')
    const content = `import fs from 'node:fs'\n${head}${other}${flaky}`
    const { status, only_flaky, manifest } = await verifyChange({ 'test/add.test.js': content })
    expect([status, only_flaky, manifest?.flaky]).toEqual(['FAIL', true, ['now and then', 'the other way round']])
  })

  test('and passes only with what its first run left in the overlay is broken, not flaky', async () => {
    const left = testOf(
      'leaves something',
      `if (!fs.existsSync('left')) { fs.writeFileSync('left', ''); assert.fail('first') }`,
    )
    const content = `import fs from 'node:fs'\n${head}${left}`
    const { status, manifest } = await verifyChange(
      { 'test/add.test.js': content },
      {
        writes: 'overlay',
        steps: [
          { name: 'before', command: 'echo x > before' },
          { name: 'test', command: `test -f before && ${steps[0]?.command}` },
        ],
      },
    )
    expect([status, manifest?.failing, manifest?.flaky]).toEqual(['FAIL', ['leaves something'], undefined])
  })

  const build = { name: 'build', writes: 'overlay' as const, command: 'echo x > before' }
  const reads = { name: 'test', command: `test -f before && ${steps[0]?.command}` }

  test('in a step that may not write is run again by itself, on what the steps before it have written', async () => {
    const again = async (writes: 'deny' | 'overlay') => {
      const more = { steps: [build, { ...reads, writes }], assurance: 'fast' as const }
      const { status, manifest, artifact_paths } = await verifyChange({ 'test/add.test.js': withFlaky }, more)
      const repeated = artifact_paths?.filter((path) => path.includes('.before-'))
      return { status, flaky: manifest?.flaky, repeated }
    }
    const settled = { status: 'PASS', flaky: ['now and then'] }
    expect(await again('deny')).toEqual({ ...settled, repeated: [] })
    expect(await again('overlay')).toEqual({ ...settled, repeated: ['logs/step-01-build.before-2.log'] })
  })

  test('in a step that may not write cannot pass with what it would have left', async () => {
    const left = testOf('leaves', `if (!fs.existsSync('left')) { fs.writeFileSync('left', ''); assert.fail('first') }`)
    const { status, manifest } = await verifyChange(
      { 'test/add.test.js': `import fs from 'node:fs'\n${head}${left}` },
      { steps: [build, reads] },
    )
    expect([status, manifest?.failing, manifest?.limits]).toEqual([
      'FAIL',
      ['leaves'],
      expect.objectContaining({ writes: 'overlay', step_writes: ['overlay', 'deny'] }),
    ])
  })

  test('by a timeout is not run again', async () => {
    const { status, manifest } = await verifyChange({}, { steps: [{ command: 'hangs', timeoutSec: 3 }] })
    expect([status, manifest?.reruns]).toEqual(['FAIL', undefined])
  })
})

describe('a test that fails on the base commit, too', () => {
  const old = testOf('old', 'assert.equal(1, 2)')
  worldOf({ 'test/old.test.js': head + old })

  test('is said to be pre-existing, and still fails the change', async () => {
    const response = await verifyChange({ 'src/add.js': `${source}\n` })
    const { status, tail_log, manifest } = response
    expect([status, manifest?.pre_existing, manifest?.also_on_base]).toEqual(['FAIL', ['old'], 'tests'])
    expect(tail_log).toContain('[drydock] pre-existing, also fails on the base commit: old')
    expect(whyFailed(response)).toBe('failing tests (all of these also fail on the base commit): old')
  })

  test('beside one that the change has broken is not all that fails', async () => {
    const both = { 'test/add.test.js': head + testOf('adds', 'assert.equal(1, 2)') }
    const response = await verifyChange(both)
    expect([response.manifest?.pre_existing, response.manifest?.also_on_base]).toEqual([['old'], undefined])
    expect(whyFailed(response)).toBe('failing tests: adds, old')
  })

  test('is not allowed where it passes on the base commit, which is said', async () => {
    const broken = { 'test/add.test.js': head + testOf('adds', 'assert.equal(1, 2)') }
    const { status, manifest, tail_log } = await verifyChange(broken, { allowFailing: ['old', 'adds'] })
    expect([status, manifest?.allowed]).toEqual(['FAIL', undefined])
    expect(tail_log).toContain('[drydock] not allowed to fail, since it does not fail on the base commit: adds')
  })

  test('is not the change’s fault where the configuration allows it by id', async () => {
    const { status, manifest } = await verifyChange({ 'src/add.js': `${source}\n` }, { allowFailing: ['old'] })
    expect([status, manifest?.pre_existing, manifest?.integrity?.findings]).toEqual(['PASS', ['old'], []])
    expect([manifest?.allowed, manifest?.also_on_base]).toEqual([['old'], undefined])
  })

  test('does not excuse another failure, nor one that the base does not have', async () => {
    const both = { 'test/add.test.js': head + testOf('adds') + testOf('adds again', 'assert.equal(1, 2)') }
    const { status, manifest } = await verifyChange(both, { allowFailing: ['old', 'adds again'] })
    expect([status, manifest?.pre_existing]).toEqual(['FAIL', ['old']])
  })

  test('is nothing that a step without names of tests can be allowed by', async () => {
    const asked = { steps: [{ name: 'lint', command: 'false' }], allowFailing: ['lint'] }
    const { status, tail_log } = await verifyChange({ 'src/add.js': `${source}\n` }, asked)
    expect(status).toBe('FAIL')
    expect(tail_log).toContain('[drydock] lint names no failing test, so no failure of it can be allowed')
  })
})

describe('a step that names no tests and fails on the base commit, too', () => {
  worldOf()
  const asked = { steps: [{ name: 'lint', command: 'false' }] }

  test('is said to, where the base has been run before', async () => {
    const change = { 'src/add.js': `${source}\n` }
    expect((await verifyChange(change, asked)).manifest?.also_on_base).toBeUndefined()
    expect((await world.runBase(asked)).status).toBe('FAIL')
    const response = await verifyChange(change, asked)
    expect([response.status, response.manifest?.also_on_base]).toEqual(['FAIL', 'step'])
    expect(whyFailed(response)).toMatch(/^lint also fails on the base commit: lint ended with exit code 1/)
  })
})
