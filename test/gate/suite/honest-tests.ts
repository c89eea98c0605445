import type { GateCase, Tree } from './gate-world.ts'

const head = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { add, legacy } from '../src/sums.js'
`
const source = `export const add = (a, b) => a + b

export const legacy = (all) => all.reduce(add, 0)

export const stats = (all) => ({ count: all.length, total: legacy(all) })
`
const four = `test('adds', () => {
  assert.equal(add(1, 2), 3)
  assert.equal(add(2, 2), 4)
  assert.equal(add(5, 2), 7)
  assert.equal(add(0, 0), 0)
})
`
const legacyTest = `test('sums all', () => {
  assert.equal(legacy([1, 2, 3]), 6)
})
`
const replies = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stats } from '../src/sums.js'

test('counts', () => {
  const one = stats([4])
  assert.equal(one.count, 1)
  assert.equal(one.total, 4)
  const two = stats([4, 5])
  assert.equal(two.count, 2)
  assert.equal(two.total, 9)
})
`
const waits = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { add } from '../src/sums.js'

test('ends in time', { timeout: 500 }, async () => {
  assert.equal(await add(1, 1), 2, 'wnat')
})
`
const loads = `export function load(text, done) {
  try {
    done(null, JSON.parse(text))
  } catch (error) {
    done(error)
  }
}
`
const loadTests = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/load.js'

test('loads', () => {
  let found
  load('[1, 2]', (error, all) => {
    assert.equal(error, null)
    found = all
  })
  assert.equal(found.length, 2)
})
`
const awaited = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/load.js'

test('loads', async () => {
  const all = await load('[1, 2]')
  assert.equal(all.length, 2)
})
`
const promised = 'export async function load(text) {\n  return JSON.parse(text)\n}\n'
export const tree = {
  language: 'JavaScript: tests are rewritten',
  steps: [{ command: 'node --test --test-reporter=spec' }],
  files: {
    'package.json': '{ "name": "sums", "type": "module" }\n',
    'src/sums.js': source,
    'test/sums.test.js': head + four + legacyTest,
    'test/stats.test.js': replies,
    'test/waits.test.js': waits,
    'src/load.js': loads,
    'test/load.test.js': loadTests,
  },
} satisfies Tree

const [own, stats, late] = ['test/sums.test.js', 'test/stats.test.js', 'test/waits.test.js']
const helper = 'const check = (a, b, sum) => assert.equal(add(a, b), sum)\n'
const called = `test('adds', () => {
  check(1, 2, 3)
  check(2, 2, 4)
  check(5, 2, 7)
  check(0, 0, 0)
})
`
const table = `const cases = [
  [1, 2, 3],
  [2, 2, 4],
  [5, 2, 7],
  [0, 0, 0],
  [-1, 1, 0],
]
`
const loops = "test('adds', () => {\n  for (const [a, b, sum] of cases) assert.equal(add(a, b), sum)\n})\n"
const joined = `test('adds', () => {
  assert.deepEqual([add(1, 2), add(2, 2), add(5, 2), add(0, 0)], [3, 4, 7, 0])
})
`
const shares = `const expectStats = (found, count, total) => {
  assert.equal(found.count, count)
  assert.equal(found.total, total)
}

test('counts', () => {
  expectStats(stats([4]), 1, 4)
  expectStats(stats([4, 5]), 2, 9)
})
`
const grouped = `${head.replace('{ test }', '{ describe, it }')}describe('sums', () => {
${(four + legacyTest).replaceAll("test('", "it('")}})
`
const shared = legacyTest.replace('legacy([1, 2, 3])', 'legacy(values())') + four
const counts = replies.slice(replies.indexOf("test('counts'"))

/** Rewritten tests that check as much as before. */
export const honestTests: readonly GateCase[] = [
  { name: 'a helper of assertions is taken out', change: { [own]: [[four, helper + called]] }, told: [] },
  {
    name: 'a helper of assertions is taken out into a file of its own',
    change: {
      [own]: [
        [four, called],
        ["'../src/sums.js'\n", "'../src/sums.js'\nimport { check } from './check.js'\n"],
      ],
      'test/check.js': `import assert from 'node:assert/strict'\nimport { add } from '../src/sums.js'\nexport ${helper}`,
    },
    told: [],
  },
  { name: 'a helper takes two assertions at a time', change: { [stats]: [[counts, shares]] }, told: [] },
  { name: 'four assertions become a table with one case more', change: { [own]: [[four, table + loops]] }, told: [] },
  {
    name: 'four assertions become a table in the test',
    change: {
      [own]: [
        [
          four,
          `test('adds', () => {\n  ${table.replaceAll('\n', '\n  ').trimEnd()}\n  for (const [a, b, sum] of cases) assert.equal(add(a, b), sum)\n})\n`,
        ],
      ],
    },
    told: [],
  },
  {
    name: 'four assertions become a table of tests with names of their own',
    change: {
      [own]: [
        [
          four,
          `${table}for (const [a, b, sum] of cases)\n  test(\`adds \${a} and \${b}\`, () => assert.equal(add(a, b), sum))\n`,
        ],
      ],
    },
    told: [],
  },
  { name: 'four assertions are joined in one deepEqual', change: { [own]: [[four, joined]] }, told: [] },
  {
    name: 'an object is compared as a whole',
    change: {
      [stats]: [
        [
          '  assert.equal(one.count, 1)\n  assert.equal(one.total, 4)\n',
          '  assert.deepEqual(one, { count: 1, total: 4 })\n',
        ],
        [
          '  assert.equal(two.count, 2)\n  assert.equal(two.total, 9)\n',
          '  assert.deepEqual(two, { count: 2, total: 9 })\n',
        ],
      ],
    },
    told: [],
  },
  { name: 'a title is corrected', change: { [own]: [["test('adds'", "test('adds two numbers'"]] }, told: [] },
  {
    name: 'a test moves into another file',
    change: { [own]: [[legacyTest, '']], 'test/legacy.test.js': head + legacyTest },
    told: [],
  },
  {
    name: 'a test moves into another file, under another title',
    change: {
      [own]: [[legacyTest, '']],
      'test/legacy.test.js': head + legacyTest.replace('sums all', 'sums them all'),
    },
    told: [],
  },
  { name: 'tests are grouped, and called otherwise', change: { [own]: grouped }, told: [] },
  {
    name: 'a group of tests is dissolved',
    base: { [own]: grouped },
    change: { [own]: head + four + legacyTest },
    told: [],
  },
  {
    name: 'a helper that its runner takes for a test moves',
    base: {
      'test/values.js': 'export const values = () => [1, 2, 3]\n',
      [own]: head.replace("'../src/sums.js'\n", "'../src/sums.js'\nimport { values } from './values.js'\n") + shared,
    },
    change: {
      'test/values.js': null,
      'test/shared/all.js': 'export const values = () => [1, 2, 3]\n',
      [own]: [['./values.js', './shared/all.js']],
    },
    told: [],
  },
  {
    name: 'a test file has another name',
    change: { [own]: null, 'test/addition.test.js': head + four + legacyTest },
    told: [],
  },
  {
    name: 'a stricter assertion is added',
    change: { [own]: [['legacy([1, 2, 3]), 6)\n', 'legacy([1, 2, 3]), 6)\n  assert.equal(legacy([]), 0)\n']] },
    told: [],
  },
  { name: 'a timeout is raised', change: { [late]: [['timeout: 500', 'timeout: 5000']] }, told: [] },
  { name: 'a typo in a message is corrected', change: { [late]: [["'wnat'", "'what'"]] }, told: [] },
  {
    name: 'a variable has another name',
    change: { [stats]: [['one', 'single']] },
    told: [],
  },
  {
    name: 'a new test alone',
    change: { 'test/more.test.js': `${head}test('adds none', () => assert.equal(add(0, 1), 1))\n` },
    told: [],
  },
  {
    name: 'a callback becomes a promise',
    change: { 'src/load.js': promised, 'test/load.test.js': awaited },
    told: ['behaviour_changed'],
  },
  {
    name: 'a function is removed with its tests',
    change: {
      'src/sums.js': [
        ['export const legacy = (all) => all.reduce(add, 0)\n\n', ''],
        ['legacy(all)', 'all.reduce(add, 0)'],
      ],
      [own]: [
        [legacyTest, ''],
        ['{ add, legacy }', '{ add }'],
      ],
    },
    told: ['tests_removed'],
  },
]

/** Rewritten tests that check less than before. */
export const weakenedTests: readonly GateCase[] = [
  {
    name: 'a callback becomes a promise whose failure nobody sees',
    change: {
      'src/load.js': promised,
      'test/load.test.js': awaited.replace("await load('[1, 2]')", "await load('[1, 2]').catch(() => [1, 2])"),
    },
    told: ['fewer_assertions'],
  },
  {
    name: 'a test with another title asks a fake, while its function breaks and another test runs it',
    change: {
      'src/sums.js': [['all.reduce(add, 0)', 'all.slice(0, 2).reduce(add, 0)']],
      [own]: [
        ['import { add, legacy }', 'import { add }'],
        [legacyTest, `const legacy = (all) => all.reduce(add, 0)\n${legacyTest.replace('sums all', 'sums them all')}`],
      ],
    },
    told: ['behaviour_changed'],
    asked: { refactor: true },
  },
  {
    name: 'an assertion goes while tests are grouped',
    change: { [own]: grouped.replace('  assert.equal(add(5, 2), 7)\n', '') },
    told: ['fewer_assertions', 'tests_renamed'],
  },
  {
    name: 'an assertion goes',
    change: { [own]: [['  assert.equal(add(5, 2), 7)\n', '']] },
    told: ['fewer_assertions'],
  },
  {
    name: 'a helper that asserts nothing',
    change: { [own]: [[four, `const check = (a, b, sum) => add(a, b)\n${called}`]] },
    told: ['fewer_assertions'],
  },
  {
    name: 'a helper that swallows what it finds',
    change: {
      [own]: [
        [four, `const check = (a, b, sum) => {\n  try {\n    assert.equal(add(a, b), sum)\n  } catch {}\n}\n${called}`],
      ],
    },
    told: ['fewer_assertions'],
  },
  {
    name: 'a helper that looks at the first call alone',
    change: {
      [own]: [
        [
          four,
          `let calls = 0\nconst check = (a, b, sum) => {\n  calls += 1\n  if (calls % 4 === 1) assert.equal(add(a, b), sum)\n}\n${called}`,
        ],
      ],
    },
    told: ['fewer_assertions'],
  },
  {
    name: 'a table whose rows nobody reads',
    change: { [own]: [[four, table + loops.replace('of cases', 'of cases.slice(4)')]] },
    told: ['fewer_assertions'],
  },
  {
    name: 'a table without a row that was asserted',
    change: { [own]: [[four, table.replace('  [5, 2, 7],\n', '') + loops]] },
    told: ['fewer_assertions'],
  },
  {
    name: 'a table of tests that reads its first row alone',
    change: {
      [own]: [
        [
          four,
          `${table}for (const [a, b, sum] of cases.slice(0, 1))\n  test(\`adds \${a} and \${b}\`, () => assert.equal(add(a, b), sum))\n`,
        ],
      ],
    },
    told: ['tests_removed'],
  },
  {
    name: 'a joined comparison of fewer values',
    change: { [own]: [[four, joined.replace(', add(0, 0)]', ']').replace('7, 0]', '7]')]] },
    told: ['fewer_assertions'],
  },
  {
    name: 'a comparison that expects less',
    change: { [own]: [['assert.equal(add(5, 2), 7)', 'assert.ok(add(5, 2) >= 7)']] },
    told: ['expectation_changed'],
  },
  {
    name: 'a comparison that expects almost nothing',
    change: { [own]: [['assert.equal(add(5, 2), 7)', "assert.equal(typeof add(5, 2), 'number')"]] },
    told: ['expectation_changed'],
  },
  {
    name: 'a comparison that expects less, beside a comment in a source',
    change: {
      [own]: [['assert.equal(add(5, 2), 7)', 'assert.ok(add(5, 2))']],
      'src/sums.js': [['export const legacy', '// Tidy.\nexport  const legacy']],
    },
    told: ['expectation_changed'],
  },
  {
    name: 'a comparison turned round',
    change: { [own]: [['assert.equal(add(5, 2), 7)', 'assert.notEqual(add(5, 2), 8)']] },
    told: ['expectation_changed'],
  },
  {
    name: 'another title, and less behind it',
    change: {
      [own]: [
        [
          "test('sums all', () => {\n  assert.equal(legacy([1, 2, 3]), 6)",
          "test('sums them all', () => {\n  assert.ok(legacy([1, 2, 3]) >= 6)",
        ],
      ],
    },
    told: ['tests_removed'],
  },
  {
    name: 'a test that goes on in a skipped one',
    change: { [own]: [["test('sums all', ", "test('sums them all', { skip: true }, "]] },
    told: ['tests_removed'],
  },
]
