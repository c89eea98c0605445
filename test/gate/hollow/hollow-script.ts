import type { GateCase } from '../suite/gate-world.ts'
import { head, source } from '../suite/script-tree.ts'

const src = 'src/stats.js'
/** A median that is wrong for most lists. */
const wrong = 'export function median(all) {\n  return all[0]\n}\n'
const right =
  'export function median(all) {\n  const sorted = [...all].sort((a, b) => a - b)\n  return sorted[Math.floor(sorted.length / 2)]\n}\n'
const got = 'stats.median([9, 1, 2])'

const withTest = (code: string, test: string) => ({ [src]: source + code, 'test/median.test.js': `${head}${test}\n` })
const hollow = (name: string, test: string, code = wrong): GateCase => ({
  name,
  change: withTest(code, test),
  told: ['no_proof'],
  asked: { refactor: false },
})
const honest = (name: string, test: string, code = right): GateCase => ({
  name,
  change: withTest(code, test),
  told: [],
})

/** New code with a test that fails if the code is missing, but does not check it. */
export const hollowScript: readonly GateCase[] = [
  hollow(
    'an assertion stands behind a condition that does not hold',
    `test('median', () => {\n  const got = ${got}\n  if (got === 2) assert.equal(got, 2)\n})`,
  ),
  hollow('a function is taken for its result', `test('median', () => {\n  assert.ok(() => ${got} === 2)\n  ${got}\n})`),
  hollow(
    'rows are chosen by the answer',
    `test('median', () => {\n  const rows = [[[9, 1, 2], 2]].filter(([all, wanted]) => stats.median(all) === wanted)\n  for (const [all, wanted] of rows) assert.equal(stats.median(all), wanted)\n})`,
  ),
  hollow(
    'a double stands between the code and its test',
    `const median = (all) => {\n  stats.median(all)\n  return 2\n}\ntest('median', () => {\n  assert.equal(median([9, 1, 2]), 2)\n})`,
  ),
  hollow(
    'a failed promise is dropped',
    `test('median', () => Promise.resolve(${got}).then((got) => { assert.equal(got, 2) }).catch(() => {}))`,
  ),
  hollow(
    'a listener waits for what never comes',
    `test('median', () => {\n  const heard = new Map()\n  heard.set('median', (got) => assert.equal(got, 2))\n  heard.get('medians')?.(${got})\n})`,
  ),
  hollow(
    'a helper lets all pass',
    `const check = (got, wanted) => got === wanted || wanted\ntest('median', () => {\n  assert.ok(check(${got}, 2))\n})`,
  ),
  hollow('a test asks for anything but nonsense', `test('median', () => {\n  assert.notEqual(${got}, 'banana')\n})`),
  hollow(
    'several new functions, and a test that asks none of them',
    `test('median', () => {\n  const all = [${got}, stats.range([9, 1, 2])]\n  assert.equal(all.length, 2)\n})`,
    `${wrong}export const range = (all) => all.length\n`,
  ),
]

/** Similar tests that do check the code. */
export const askingScript: readonly GateCase[] = [
  honest(
    'a test asks in a callback',
    `const soon = (run) => new Promise((resolve, reject) => { setTimeout(() => { try { resolve(run()) } catch (error) { reject(error) } }, 1) })\ntest('median', () => soon(() => assert.equal(${got}, 2)))`,
  ),
  honest(
    'a test asks in a loop',
    `test('median', () => {\n  for (const [all, wanted] of [[[9, 1, 2], 2], [[3], 3]]) assert.equal(stats.median(all), wanted)\n})`,
  ),
  honest(
    'a helper asks',
    `const check = (all, wanted) => assert.equal(stats.median(all), wanted)\ntest('median', () => {\n  check([9, 1, 2], 2)\n  check([3], 3)\n})`,
  ),
  honest(
    'a promise is waited for',
    `test('median', () => Promise.resolve(${got}).then((got) => { assert.equal(got, 2) }))`,
  ),
  honest(
    'a double calls through',
    `const asked = []\nconst median = (all) => {\n  asked.push(all)\n  return stats.median(all)\n}\ntest('median', () => {\n  assert.equal(median([9, 1, 2]), 2)\n  assert.equal(asked.length, 1)\n})`,
  ),
  honest(
    'a function is asked for its effect alone',
    `test('adds', () => {\n  const all = []\n  stats.add(all, 1)\n  assert.deepEqual(all, [1])\n})`,
    'export function add(all, each) {\n  all.push(each)\n}\n',
  ),
  honest(
    'a function that does nothing for some, and throws for others',
    `test('checks', () => {\n  stats.check(1)\n  assert.throws(() => stats.check(-1), /negative/)\n})`,
    "export function check(n) {\n  if (n < 0) throw new Error('negative')\n}\n",
  ),
  honest(
    'one of two new functions is the other’s helper',
    `test('median', () => {\n  assert.equal(${got}, 2)\n})`,
    'const byValue = (a, b) => a - b\nexport function median(all) {\n  return [...all].sort(byValue)[Math.floor(all.length / 2)]\n}\n',
  ),
  honest(
    'a class of errors',
    `import { BadInput, check } from '../src/stats.js'\ntest('checks', () => {\n  assert.throws(() => check(-1), BadInput)\n})`,
    "export class BadInput extends Error {}\nexport function check(n) {\n  if (n < 0) throw new BadInput('negative')\n}\n",
  ),
  honest(
    'a class with a method',
    `test('counts', () => {\n  const counter = new stats.Counter()\n  counter.add()\n  counter.add()\n  assert.equal(counter.count, 2)\n})`,
    'export class Counter {\n  count = 0\n\n  add() {\n    this.count += 1\n  }\n}\n',
  ),
  honest(
    'a function that waits',
    `test('doubles', async () => {\n  assert.equal(await stats.double(2), 4)\n})`,
    'export const double = async (n) => 2 * n\n',
  ),
]
