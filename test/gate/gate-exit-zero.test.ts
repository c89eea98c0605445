import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyFailed } from '../../src/domain/verification/why-failed.ts'
import { type MemoryGate, makeMemoryGate } from './memory-gate.ts'
import type { VerifierInput } from './verifier-world.ts'

const source = 'export const add = (a, b) => a + b\n'
const testOf = (name: string, line: string) =>
  `import test from 'node:test'\nimport assert from 'node:assert'\ntest('${name}', () => { ${line} })\n`
const broken = testOf('broken', 'assert.equal(1, 2)')
/** Exits with 0 whatever the tests report. */
const steps = [{ command: 'node --test --test-reporter=spec || true' }]

let world: MemoryGate
beforeAll(async () => {
  world = makeMemoryGate({
    'package.json': '{ "type": "module" }\n',
    'src/add.js': source,
    'test/old.test.js': testOf('old', 'assert.equal(1, 2)'),
    'test/good.test.js': testOf('good', 'assert.ok(Date.now())'),
  })
})
afterAll(() => world.close())

async function verifyChange(change: Readonly<Record<string, string>>, more: Partial<VerifierInput> = {}) {
  const commit = await world.commitChange(change)
  return world.ask({ steps, purpose: 'change', commit, ...more })
}

describe('a step that ends with 0 while it names failing tests', () => {
  test('is a FAIL that says so', async () => {
    const response = await verifyChange({ 'test/broken.test.js': broken }, { allowFailing: ['old'] })
    const { status, manifest, tail_log } = response
    expect([status, manifest?.pre_existing, manifest?.integrity]).toEqual(['FAIL', ['old'], undefined])
    expect(manifest?.commands_executed).toMatchObject([{ exit_code: 0, tests: { failed: 2 } }])
    expect(tail_log).toContain('[drydock] test: exit code 0, but 2 tests failed: broken, old')
    expect(whyFailed(response)).toBe('test: exit code 0, but 2 tests failed: broken, old')
  })

  test('is a FAIL also when the same tests fail with 0 on the base commit', async () => {
    const { status, manifest } = await verifyChange({ 'src/add.js': `${source}\n` })
    expect([status, manifest?.pre_existing]).toEqual(['FAIL', ['old']])
    expect(manifest?.base).toMatchObject({ status: 'FAIL', failing: ['old'] })
  })

  test('is green where the configuration allows each of these tests', async () => {
    const { status, manifest } = await verifyChange({ 'src/add.js': `${source}\n` }, { allowFailing: ['old'] })
    expect([status, manifest?.pre_existing, manifest?.integrity?.findings]).toEqual(['PASS', ['old'], []])
  })
})

describe('a step that ends with 0 before its runner does', () => {
  const head = "import test from 'node:test'\nimport assert from 'node:assert'\nimport { add } from '../src/add.js'\n"
  const adds = `${head}test('adds', () => { assert.equal(add(1, 1), 2) })\n`
  const more = `${head}test('adds more', () => { assert.equal(add(1, 2), 3) })\n`
  const plain = [{ command: 'node --test-reporter=spec run.js' }]
  const ends = `${source}process.exit(0)\n`
  let own: MemoryGate
  beforeAll(async () => {
    own = makeMemoryGate({
      'package.json': '{ "type": "module" }\n',
      'run.js': "import './test/adds.test.js'\nimport './test/more.test.js'\n",
      'src/add.js': source,
      'test/adds.test.js': adds,
      'test/more.test.js': more,
    })
  })
  afterAll(() => own.close())
  const verify = async (change: Readonly<Record<string, string | null>>, more: Partial<VerifierInput> = {}) =>
    own.ask({ steps: plain, purpose: 'change', commit: await own.commitChange(change), ...more })

  test.each([
    ['a source', { 'src/add.js': ends }],
    ['a source and a test', { 'src/add.js': ends, 'test/adds.test.js': `${adds}\n// ${'also '.repeat(3)}\n` }],
  ])('because of %s is a FAIL that says so', async (_what, change) => {
    for (const assurance of ['fast', 'standard'] as const) {
      const response = await verify(change, { assurance })
      const words =
        /^test: exit code 0, but its runner did not come to its end: 2 of 2 tests that ran on the base commit/
      expect([response.status, response.manifest?.integrity]).toEqual(['FAIL', undefined])
      expect(whyFailed(response)).toMatch(words)
    }
  })

  test.each([
    ['where the change replaces the runner', { 'run.js': "import './src/add.js'\n" }],
    ['where all of its tests were rewritten for none', { 'test/adds.test.js': '\n', 'test/more.test.js': '\n' }],
  ])('is a finding %s', async (_what, change) => {
    const adding = { 'src/add.js': `${source}globalThis.add = add\n` }
    const { status, manifest, tail_log } = await verify(
      { ...adding, 'test/adds.test.js': adds, ...change },
      { assurance: 'fast' },
    )
    expect([status, status === 'PASS' ? '' : tail_log]).toEqual(['PASS', ''])
    expect(manifest?.integrity?.findings.map(({ kind }) => kind)).toContain('tests_unread')
  })

  test('only once is a finding, no FAIL: the last lines of an output can get lost', async () => {
    const whole = 'TAP version 13\nok 1 - adds\nok 2 - adds more\n1..2\n'
    const ran: string[] = []
    const lost = makeMemoryGate(
      { 'src/add.js': source, 'test/adds.test.js': adds, 'test/more.test.js': more },
      {
        lossy: (seen) => {
          const isChanged = seen.read('src/add.js') !== source
          const output = isChanged && !ran.includes('change') ? 'TAP version 13\nok 1 - adds\n' : whole
          ran.push(isChanged ? 'change' : 'base')
          return { exitCode: 0, output }
        },
      },
    )
    const commit = lost.commitChange({ 'src/add.js': `${source}// faster\n` })
    const asked = { steps: [{ command: 'lossy' }], purpose: 'change', assurance: 'fast', commit } as const
    const { status, manifest } = await lost.ask(asked)
    expect([status, ran, manifest?.integrity?.findings.map(({ kind }) => kind)]).toEqual([
      'PASS',
      ['change', 'base', 'change'],
      ['tests_unread'],
    ])
  })

  test('and says the first time which tests fail, is a FAIL', async () => {
    const once = `import fs from 'node:fs'
import test from 'node:test'
import assert from 'node:assert'
const ran = process.env.ARTIFACT_DIR + '/tmp/ran'
const isFirst = !fs.existsSync(ran)
fs.writeFileSync(ran, '')
test('first', () => {})
if (isFirst) test('now and then', () => { assert.fail() })
`
    const response = await verify({ 'src/add.js': `${source}\n`, 'test/adds.test.js': once })
    expect([response.status, response.only_flaky]).toEqual(['FAIL', undefined])
    expect(whyFailed(response)).toBe(
      'test: exit code 0, but its second run has fewer results than the first: 2 instead of 3',
    )
  })
})
