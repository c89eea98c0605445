import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MemoryGate, makeMemoryGate } from '../memory-gate.ts'

type Change = Readonly<Record<string, string | null>>

const head = `import test from 'node:test'\nimport assert from 'node:assert'\n`
const imports = `${head}import { cube } from '../src/cube.js'\n`
const cubes = `${imports}test('cubes', () => { assert.equal(cube(2), 8) })\n`
const squares = `${head}import { area } from '../src/area.js'\ntest('squares', () => {\n  const expected = 4\n  assert.equal(area(2), expected)\n})\n`
const shout = `${head}import { loud } from '../src/loud.js'
test('is loud', () => { assert.deepEqual(loud('a'), { text: 'A', marks: [1] }) })
test('returns early', () => { return
  assert.equal(loud('b').text, 'C') })
test('is kept open', () => { const open = loud('c'); assert.equal(open.text, 'C'); open.marks.pop() })
`
const printed = `${head}import { readFileSync } from 'node:fs'
import { print } from '../src/print.js'
const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8')
test('prints', () => { assert.equal(print(4), read('golden/print.txt')) })
test('prints once more', () => { assert.equal(print(5).length, 6) })
`
const rows = `${head}import { side } from '../src/side.js'
for (const [area, is] of [[1, 1], [9, 3]]) test(\`the side of \${area} is \${is}\`, () => { assert.equal(side(area), is) })
`
const nested = `${head}import { half } from '../src/half.js'
test('halves', async (t) => { await t.test('of eight', () => { assert.equal(half(8), 4) }) })
`
const files = {
  'src/side.js': 'export const side = (area) => Math.sqrt(area)\n',
  'src/half.js': 'export const half = (n) => n / 2\n',
  'test/side.test.js': rows,
  'test/half.test.js': nested,
  'src/print.js': 'export const print = (area) => `area ${area}`\n',
  'test/print.test.js': printed,
  'test/golden/print.txt': 'area 4',
  'package.json': '{ "name": "area", "type": "module" }\n',
  'src/area.js': 'export const area = (side) => side * side\n',
  'src/cube.js': 'export const cube = () => 0\n',
  'src/loud.js': 'export const loud = (text) => ({ text: text.toUpperCase(), marks: [1] })\n',
  'test/area.test.js': squares,
  'test/cube.test.js': cubes,
  'test/loud.test.js': shout,
}
const steps = [{ command: 'node --test --test-reporter=spec' }]
const fs = "import { readFileSync } from 'node:fs'\n"
const reading = (name: string, pattern: string) =>
  `${fs}const own = readFileSync('test/${name}.test.js', 'utf8')\nconst found = () => Number(${pattern}.exec(own)[1])\n`

let world: MemoryGate
beforeAll(() => {
  world = makeMemoryGate(files)
})
afterAll(() => world.close())

async function verifyChange(change: Change, base: Change = {}) {
  const tip = Object.keys(base).length === 0 ? world.tip : world.commitOf(base)
  const allowFailing = ['test/cube.test.js > cubes', 'cubes']
  const commit = world.commitOf(change, tip)
  const { status, manifest, tail_log } = await world.ask({
    purpose: 'change',
    base: tip,
    commit,
    steps,
    refactor: true,
    allowFailing,
  })
  const findings = manifest?.integrity?.findings ?? []
  return { status, tail: tail_log ?? '', manifest, findings, kinds: findings.map(({ kind }) => kind) }
}

const cube = 'export const cube = (side) => side ** 3\n'
/** A file that makes another base commit, for which no notes are stored yet. */
const unknown = { 'notes.txt': 'none\n' }

describe('a test that the change left alone', () => {
  test.each<readonly [string, Change, string]>([
    [
      'became green by an answer that is read in it',
      { 'src/cube.js': `${reading('cube', '/cube\\(2\\), (\\d+)/')}export const cube = () => found()\n` },
      'test/cube.test.js',
    ],
    [
      'stayed green by an answer that is read in it',
      {
        'src/cube.js': cube,
        'src/area.js': `${reading('area', '/expected = (\\d+)/')}export const area = () => found()\n`,
      },
      'test/area.test.js',
    ],
    [
      'stayed green by an answer that is read in its snapshot',
      {
        'src/cube.js': cube,
        'src/print.js': `${fs}export const print = (area) => area === 4 ? readFileSync('test/golden/print.txt', 'utf8') : 'area 5'\n`,
      },
      'test/print.test.js',
    ],
    [
      'stayed green by an answer that is read in its table',
      {
        'src/cube.js': cube,
        'src/side.js': `${reading('side', '/\\[9, (\\d+)\\]/')}export const side = (area) => (area === 9 ? found() : Math.sqrt(area))\n`,
      },
      'test/side.test.js',
    ],
    [
      'stayed green by an answer that is read in its subtest',
      {
        'src/cube.js': cube,
        'src/half.js': `${reading('half', '/half\\(8\\), (\\d+)/')}export const half = () => found()\n`,
      },
      'test/half.test.js',
    ],
    [
      'stayed green by what is in the object',
      {
        'src/cube.js': cube,
        'src/loud.js': `${fs}const own = readFileSync('test/loud.test.js', 'utf8')
const [, text, mark] = /text: '(\\w+)', marks: \\[(\\d+)\\]/.exec(own)
export const loud = (of) => ({ text: of === 'a' ? text : of.toUpperCase(), marks: [Number(mark)] })\n`,
      },
      'test/loud.test.js',
    ],
  ])('%s: deaf_test', async (_what, change, file) => {
    const { status, findings } = await verifyChange(change)
    // An early warning about the names in the code may also be reported.
    const told = findings.filter(({ kind }) => kind !== 'judges_itself')
    expect([status, told]).toMatchObject(['PASS', [{ kind: 'deaf_test', file }]])
  })

  test('became green honestly: each of them fails, and what was deaf before is not told', async () => {
    const change = {
      'src/cube.js': cube,
      'src/print.js': "export const print = (area) => 'area ' + area\n",
      'src/loud.js': files['src/loud.js'].replace('text.toUpperCase()', '`${text}`.toUpperCase()'),
    }
    const { status, tail, kinds, manifest } = await verifyChange(change, unknown)
    expect([status, status === 'PASS' ? '' : tail, kinds]).toEqual(['PASS', '', []])
    const log = world.read(manifest?.run_id ?? '', 'logs/canaries.log')
    for (const name of ['cubes', 'is loud', 'prints']) expect(log).toMatch(new RegExp(`^not ok \\d+ - ${name}$`, 'm'))
    expect(log).toMatch(/^ok \d+ - is kept open$/m)
    expect(world.read(manifest?.run_id ?? '', 'logs/spoiled-base.log')).toMatch(/^ok \d+ - returns early$/m)
    // The base commit is not tried again.
    const next = await verifyChange({ ...change, 'src/area.js': `${files['src/area.js']}\n` }, unknown)
    expect([next.kinds, next.status]).toEqual([[], 'PASS'])
    expect(() => world.read(next.manifest?.run_id ?? '', 'logs/spoiled-again.log')).toThrow()
  })
})

test('rows of a table and subtests become red honestly, in one run', async () => {
  const { status, tail, kinds, manifest } = await verifyChange({
    'src/cube.js': cube,
    'src/side.js': 'export const side = (area) => area ** 0.5\n',
    'src/half.js': 'export const half = (n) => n * 0.5\n',
  })
  expect([status, status === 'PASS' ? '' : tail, kinds]).toEqual(['PASS', '', []])
  const log = world.read(manifest?.run_id ?? '', 'logs/canaries.log')
  expect(log).toMatch(/^not ok \d+ - the side of 9 is [24]$/m)
  expect(log).toMatch(/^ok \d+ - the side of 1 is 1$/m)
  expect(log).toMatch(/not ok \d+ - of eight$/m)
  for (const name of ['canaries-beside', 'spoiled-again'])
    expect(() => world.read(manifest?.run_id ?? '', `logs/${name}.log`)).toThrow()
})

test.each<readonly [string, string]>([
  [
    'lets the first assertions through',
    'let left = 3\nassert.equal = (...two) => (left-- > 0 ? undefined : equal(...two))\n',
  ],
  ['widens equality', 'assert.equal = (a, b) => { if (Math.abs(a - b) > 1.5) equal(a, b) }\n'],
  ['compares types', 'assert.equal = (a, b) => { if (typeof a !== typeof b) equal(a, b) }\n'],
])('a source that %s makes the gate deaf', async (_what, patch) => {
  const source = `import assert from 'node:assert'\nconst { equal } = assert\n${patch}${files['src/area.js']}`
  const { status, manifest } = await verifyChange({ 'src/area.js': source, 'src/cube.js': cube })
  expect([status, manifest?.canaries?.status]).toEqual(['FAIL', 'deaf'])
})

test('honest tests whose last expectation is not a plain literal are not reported', async () => {
  const bodies = [
    "test('a property', () => { for (const n of [1, 2, 3]) assert.equal(cube(-n), -cube(n)) })",
    "test('no literal', () => { assert.ok(cube(2)) })",
    "test('computed', () => { assert.equal(cube(3), 3 * cube(1) * 9) })",
    "test('close', () => { assert.ok(Math.abs(cube(1.1) - 1.331) < 0.01) })",
    "test('the same twice', () => { assert.equal(cube(2), 8); assert.equal(cube(2), 8) })",
    "test('another', () => { assert.notEqual(cube(2), 9) })",
    "test('one name', () => { assert.equal(cube(1), 1) })\ntest('one name', () => { assert.equal(cube(0), 0) })",
    "test('used twice', () => { const n = 1; assert.equal(cube(n), n) })",
    'for (const [n, is] of [[1, 1], [2, 8]]) test(`cube of ${n}`, () => assert.equal(cube(n), is))',
    "test('its own answer', () => { const answer = cube(1) === 1 ? 'yes' : 'no'; assert.equal(answer, 'yes') })",
  ]
  const { status, tail, kinds } = await verifyChange({
    'src/cube.js': cube,
    'test/more.test.js': `${imports}${bodies.join('\n')}\n`,
  })
  expect([status, status === 'PASS' ? '' : tail, kinds]).toEqual(['PASS', '', []])
})

describe('a test that cannot be tried with the change, but on the base commit', () => {
  const longer = (size: number) =>
    `${fs}if (readFileSync('test/area.test.js', 'utf8').length > ${size}) throw new Error('long')\n`
  test('is a finding: the source throws when its test file is longer than it was', async () => {
    const { status, findings, manifest } = await verifyChange({
      'src/cube.js': cube,
      'src/area.js': longer(squares.length) + files['src/area.js'],
    })
    expect([status, manifest?.canaries?.status]).toEqual(['PASS', 'heard'])
    expect(findings).toMatchObject([{ kind: 'judges_itself' }, { kind: 'untried' }])
  })
})

test('a verification of the same tree finds the canaries of the first one, and another tree has others', async () => {
  const change = { 'src/cube.js': cube }
  const runs = [
    await verifyChange(change),
    await verifyChange(change),
    await verifyChange({ 'src/cube.js': `${cube}\n` }),
  ]
  const [first, second, third] = runs.map(({ manifest }) => {
    try {
      return world.read(manifest?.run_id ?? '', 'logs/canaries.log')
    } catch {
      return null
    }
  })
  expect(second).toBeNull()
  const names = (log: string | null | undefined): readonly string[] =>
    log?.match(/^not ok \d+ - [a-z]+\d+[a-z]+$/gm) ?? []
  expect(names(first)).toHaveLength(6)
  expect(names(third).filter((name) => names(first).includes(name))).toEqual([])
})
