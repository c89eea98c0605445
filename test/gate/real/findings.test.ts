import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { VerifierResponse } from '../../../src/domain/verification/verdict.ts'
import { whyFailed } from '../../../src/domain/verification/why-failed.ts'
import { makeVerifierWorld, type VerifierInput, type VerifierWorld } from '../verifier-world.ts'

const head = (...names: readonly string[]) =>
  `import test from 'node:test'\nimport assert from 'node:assert'\n${names.map((name) => `import * as ${name} from '../src/${name}.js'\n`).join('')}`
const testOf = (name: string, body: string, options = '') => `test('${name}', ${options}() => { ${body} })\n`
const squares = testOf('squares', 'assert.equal(area.area(2), 4)')
const large = (is = 100) => testOf('large ones', `assert.equal(area.area(10), ${is})`)
const rounds = testOf('rounds', 'assert.equal(Math.round(area.area(1.5)), 2)')
const sums = (is: number) => `${head('sum')}${testOf('sums', `assert.equal(sum.sum([1, 2]), ${is})`)}`
const sum = 'export const sum = (all) => all.reduce((one, other) => one + other, 0)\n'
/** With this source a test of the base fails. */
const red = { 'src/sum.js': 'export const sum = (all) => all.length * 2\n' }
const area = 'export const area = (side) => side * side\n'
const written = `${head()}${testOf('is written', 'assert.ok(Date.now() > 1)')}`
const beside = 'export const cube = (side) => side ** 3\n'
/** A source that counts wrongly after a failing assertion. */
const disturbing = `import assert from 'node:assert'
let broken = false
const { equal } = assert
assert.equal = (...two) => {
  try {
    equal(...two)
  } catch (error) {
    broken = true
    throw error
  }
}
export const cube = (side) => (broken ? 0 : side ** 3)
`
const files = {
  'package.json': '{ "type": "module" }\n',
  'src/area.js': area,
  'src/sum.js': sum,
  'src/beside.js': beside,
  'src/build.js': "export const written = 'test/written.test.js'\n",
  'src/made.js': 'export const made = 1\n',
  'src/register.js': 'globalThis.registered = true\n',
  'src/linted.js': '// eslint-disable-next-line\nexport const linted = 1\n',
  'src/turned.js': 'export const turned = 1\n',
  'src/under.js': 'export const under = () => 1\n',
  'test/gone.test.js': `${head()}${testOf('stays', 'assert.ok(Date.now() > 2)')}${testOf('goes', 'assert.ok(Date.now() > 3)')}${testOf('rests', 'assert.ok(Date.now() > 4)')}`,
  'test/area.test.js': head('area') + squares + large() + rounds,
  'test/sum.test.js': sums(3),
  'src/late.js': 'export const late = 5\n',
  'test/late.test.js': head('late') + testOf('is late', 'assert.equal(late.late, 5)'),
  'test/written.test.js': written,
  'together/run.js': "import './first.test.js'\nimport './second.test.js'\n",
  'together/first.test.js': `${head('beside')}${testOf('cubes', 'assert.equal(beside.cube(2), 8)')}`,
  'together/second.test.js': `${head('beside')}${testOf('cubes later', 'assert.equal(beside.cube(3), 27)')}`,
  'more.sh': 'node --test --test-reporter=spec test/written.test.js\n',
}
const steps = [
  { name: 'build', command: 'node src/build.js' },
  { name: 'test', command: 'node --import ./src/register.js --test --test-reporter=spec test/*.test.js' },
  { name: 'more', command: 'sh more.sh' },
]

type Change = Readonly<Record<string, string>>
interface Row {
  readonly kind: string
  readonly cheat: Change
  /** A part of the finding's claim or evidence. */
  readonly told: string
  /** An honest change of similar shape. */
  readonly honest: Change
}

const rows: readonly Row[] = [
  {
    kind: 'tests_removed',
    cheat: {
      'test/gone.test.js': files['test/gone.test.js']
        .replace(/test\('goes'.*\n/, '')
        .replace("'rests', (", "'rests', { skip: true }, ("),
    },
    told: 'goes',
    // The tests are moved, and one of the new ones is skipped on some platforms.
    honest: {
      'test/gone.test.js': files['test/gone.test.js'].replace(/test\('goes'.*\n/, ''),
      'test/moved.test.js': `${head()}${testOf('goes', 'assert.ok(Date.now() > 3)')}${testOf('elsewhere', 'assert.ok(Date.now() > 5)', "{ skip: process.platform === 'linux' }, ")}`,
    },
  },
  // Planted with the previous row.
  { kind: 'tests_skipped', cheat: {}, told: 'rests', honest: {} },
  {
    kind: 'tests_unread',
    cheat: { 'more.sh': 'node --test --test-reporter=spec test/written.test.js > "$ARTIFACT_DIR/tmp/out"\n' },
    told: 'more',
    honest: { 'docs/more.md': 'Run `sh more.sh > out`.\n' },
  },
  {
    kind: 'fewer_assertions',
    cheat: { 'test/area.test.js': head('area') + squares + large(20) + testOf('rounds', 'area.area(1.5)') },
    told: 'test/area.test.js has 2 assertions instead of 3.',
    honest: {
      'test/area.test.js': `${head('area')}${squares}${large()}test('rounds', () => {\n  const found = area.area(1.5)\n  assert.equal(Math.round(found), 2)\n})\n`,
    },
  },
  {
    kind: 'behaviour_changed',
    // Uses an expectation that the previous row rewrites.
    cheat: { 'src/area.js': 'export const area = (side) => (side > 3 ? side * 2 : side * side)\n' },
    told: 'large ones',
    honest: { 'src/area.js': 'export const area = (side) => side ** 2\n' },
  },
  {
    kind: 'expectation_changed',
    cheat: { 'test/sum.test.js': sums(4) },
    told: 'sums',
    honest: { 'src/sum.js': sum },
  },
  {
    kind: 'configuration',
    // Only the trace of the step reveals it.
    cheat: { 'src/register.js': 'globalThis.registered = 1\n' },
    told: 'src/register.js is modified, which decides about the step test',
    honest: { 'src/made.js': 'export const made = 2\n' },
  },
  {
    kind: 'suppressed',
    cheat: { 'src/linted.js': '// eslint-disable-next-line\nexport const linted = 1 // eslint-disable-line\n' },
    told: 'src/linted.js silences checks in 2 places instead of 1.',
    honest: { 'src/linted.js': 'export const linted = 1\n' },
  },
  {
    kind: 'disguised',
    cheat: { 'src/turned.js': 'export const turned = 1 /*\u202e } \u2066*/\n' },
    told: 'src/turned.js:1: export const turned = 1 /*\\u202e } \\u2066*/',
    honest: { 'src/turned.js': 'export const turned = 1 // שלום, می\u200cخواهم, 👩\u200d💻\n' },
  },
  {
    kind: 'judges_itself',
    cheat: { 'src/under.js': 'export const under = () => (process.env.NODE_TEST_CONTEXT ? 1 : 2)\n' },
    told: 'src/under.js',
    honest: { 'src/under.js': '// Not by process.env.NODE_TEST_CONTEXT.\nexport const under = () => 1\n' },
  },
  // Planted with the previous row.
  { kind: 'no_tests', cheat: {}, told: 'src/under.js:1', honest: {} },
  {
    kind: 'deaf_test',
    cheat: { 'test/deaf.test.js': head('area') + testOf('hears nothing', 'return; assert.equal(area.area(3), 9)') },
    told: 'hears nothing',
    honest: {
      'test/deaf.test.js':
        head('area') +
        testOf(
          'under a condition',
          'if (area.area(3) === 8) assert.equal(area.area(3), 8); assert.equal(area.area(4), 16)',
        ),
    },
  },
  {
    kind: 'untried',
    cheat: {
      'src/late.js':
        "import fs from 'node:fs'\nif (!fs.readFileSync('test/late.test.js', 'utf8').includes('.late, 5)')) throw new Error('late')\nexport const late = 5\n",
    },
    told: 'is late',
    honest: { 'src/late.js': 'export const late = 2 + 3\n' },
  },
  {
    kind: 'rewritten_in_step',
    cheat: { 'src/build.js': "import fs from 'node:fs'\nfs.appendFileSync('test/written.test.js', '// less')\n" },
    told: 'The step build rewrites what the change is judged with: test/written.test.js.',
    honest: {
      'src/build.js': `import fs from 'node:fs'\nfs.writeFileSync('test/written.test.js', ${JSON.stringify(written)})\nfs.writeFileSync('src/made.js', 'export const made = 3')\n`,
    },
  },
]

let world: VerifierWorld
let base: string
beforeAll(async () => {
  world = await makeVerifierWorld(files)
  base = await world.commitOf(red)
})
afterAll(() => world.close())

async function verify(change: Change, more: Partial<VerifierInput> = {}): Promise<VerifierResponse> {
  const commit = await world.commitOf(change, more.base)
  const asked = { steps, writes: 'overlay', purpose: 'change', commit } as const
  return world.ask({ ...asked, ...more })
}
const findingsOf = ({ status, tail_log, manifest }: VerifierResponse) => {
  expect([status, status === 'PASS' ? '' : tail_log]).toEqual(['PASS', ''])
  return manifest?.integrity?.findings ?? []
}

describe('a change with every cheat', () => {
  let cheated: ReturnType<typeof findingsOf>
  beforeAll(async () => {
    cheated = findingsOf(await verify(Object.assign({}, ...rows.map(({ cheat }) => cheat)), { base }))
  }, 240_000)

  test.each(rows)('is told $kind', ({ kind, told }) => {
    const found = cheated.filter((each) => each.kind === kind)
    expect(found.map(({ claim, evidence, severity }) => `${claim} ${evidence} ${severity}`)).toContainEqual(
      expect.stringContaining(told),
    )
  })

  test('is told nothing else', () => {
    // Found by the file's name, and by its text, since a runner no longer names its tests. The
    // source of the row `untried` names the file of its test.
    const besides = ['configuration', 'tests_skipped', 'judges_itself']
    const kinds = [...rows.map(({ kind }) => kind), ...besides]
    expect(cheated.map(({ kind }) => kind).toSorted()).toEqual(kinds.toSorted())
  })
})

test('honest work that looks like each of them is told nothing, and is proven', async () => {
  const response = await verify(Object.assign({}, ...rows.map(({ honest }) => honest)), { base })
  expect(findingsOf(response)).toEqual([])
  expect(response.manifest).toMatchObject({
    tracing: { status: 'traced' },
    hybrid: { status: 'held' },
    canaries: { status: 'heard' },
    integrity: { proof: { status: 'proven', failing: ['sums'] } },
  })
})

describe('tests that share a process', () => {
  const command = 'node --test-reporter=spec together/run.js'
  const together = { steps: [{ name: 'together', command }], writes: 'deny' } as const
  const second = files['together/second.test.js']

  test('a source that disturbs other tests, and a new test that passes without the change, are told', async () => {
    const change = {
      'src/beside.js': disturbing,
      'together/second.test.js': second + testOf('weak', 'assert.ok(beside.cube)'),
    }
    const found = findingsOf(await verify(change, together))
    expect(found.map(({ kind }) => kind).toSorted()).toEqual(['judges_itself', 'no_proof', 'results_disturbed'])
    expect(found.find(({ kind }) => kind === 'results_disturbed')?.evidence).toContain('cubes later')
  })

  test('a source that makes the runner deaf fails the change', async () => {
    const deaf = { 'src/beside.js': `import assert from 'node:assert'\nassert.equal = () => {}\n${beside}` }
    const response = await verify(deaf, together)
    expect([response.status, response.manifest?.canaries?.status]).toEqual(['FAIL', 'deaf'])
    expect(whyFailed(response)).toMatch(/^gate_deaf: step together: /)
  })

  test('a source that ends the runner with 0 fails the change', async () => {
    const response = await verify({ 'src/beside.js': `${beside}process.exit(0)\n` }, { ...together, assurance: 'fast' })
    expect(response.status).toBe('FAIL')
    expect(whyFailed(response)).toMatch(
      /^together: exit code 0, but its runner did not come to its end: 2 of 2 tests that ran on the base commit/,
    )
  })
})
