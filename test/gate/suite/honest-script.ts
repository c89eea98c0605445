import type { GateCase } from './gate-world.ts'
import { head, source, tests } from './script-tree.ts'

const [src, own] = ['src/stats.js', 'test/stats.test.js']
const variance = 'export const variance = (all) => mean(all.map((each) => (each - mean(all)) ** 2))\n'
const varies = `${head}test('varies', () => { assert.equal(stats.variance([1, 3]), 1) })\n`
const prices = "test('prices', () => {\n  assert.ok(Math.abs(stats.price(10.333) - 12.4) < 0.005)\n})\n"
const reports = "test('reports', () => {\n  assert.equal(stats.report([2, 4]), read('__snapshots__/report.snap'))\n})\n"

/** Honest changes to sources and tests. */
export const honestScript: readonly GateCase[] = [
  {
    name: 'a new function with its test',
    change: { [src]: source + variance, 'test/variance.test.js': varies },
    told: [],
  },
  {
    name: 'a new module with its test',
    change: {
      'src/loud.js': 'export const loud = (text) => text.toUpperCase()\n',
      'test/loud.test.js':
        "import assert from 'node:assert'\nimport test from 'node:test'\nimport { loud } from '../src/loud.js'\ntest('is loud', () => assert.equal(loud('a'), 'A'))\n",
    },
    told: [],
  },
  {
    name: 'a fix with a test of it',
    change: {
      [src]: [['/ all.length\n', '/ (all.length || 1)\n']],
      'test/empty.test.js': `${head}test('nothing has a mean', () => { assert.equal(stats.mean([]), 0) })\n`,
    },
    told: [],
  },
  {
    name: 'a fix whose test is added to a file that is there',
    change: {
      [src]: [['/ all.length\n', '/ (all.length || 1)\n']],
      [own]: [[prices, `${prices}test('nothing has a mean', () => {\n  assert.equal(stats.mean([]), 0)\n})\n`]],
    },
    told: [],
  },
  {
    name: 'red tests of the base are made green',
    base: { 'test/variance.test.js': varies, [src]: `${source}export const variance = () => 0\n` },
    change: { [src]: source + variance },
    told: [],
  },
  {
    name: 'red tests of the base are made green, and tidied',
    base: { 'test/variance.test.js': varies, [src]: `${source}export const variance = () => 0\n` },
    change: {
      [src]: source + variance,
      'test/variance.test.js': [
        [
          '{ assert.equal(stats.variance([1, 3]), 1) }',
          '{\n  const found = stats.variance([1, 3])\n  assert.equal(found, 1)\n}',
        ],
      ],
    },
    told: [],
  },
  {
    name: 'a test file of the base that could not be loaded has what it needs',
    base: {
      'test/loud.test.js':
        "import assert from 'node:assert'\nimport test from 'node:test'\nimport { loud } from '../src/loud.js'\ntest('is loud', () => assert.equal(loud('a'), 'A'))\n",
    },
    change: { 'src/loud.js': 'export const loud = (text) => text.toUpperCase()\n' },
    told: [],
  },
  {
    name: 'a function has another name, and its old one goes on',
    change: {
      [src]: [
        ['export const price', 'export const withTax'],
        ['export const load', 'export { withTax as price }\nexport const load'],
      ],
      [own]: [['stats.price', 'stats.withTax']],
    },
    told: [],
  },
  {
    name: 'a function has another name alone',
    change: { [src]: [['export const price', 'export const withTax']], [own]: [['stats.price', 'stats.withTax']] },
    told: ['behaviour_changed'],
  },
  {
    name: 'a source moves',
    change: {
      'src/parse.js': null,
      'src/json/parse.js': 'export const parse = (text) => JSON.parse(text)\n',
      [src]: [['./parse.js', './json/parse.js']],
    },
    told: [],
  },
  {
    name: 'a refactoring',
    change: {
      [src]: [
        [
          'all.reduce((sum, each) => sum + each, 0) / all.length',
          'sum(all) / all.length\n\nfunction sum(all) {\n  let total = 0\n  for (const each of all) total += each\n  return total\n}',
        ],
      ],
    },
    told: [],
  },
  {
    name: 'something faster',
    change: {
      [src]: [
        [
          'all.reduce((sum, each) => sum + each, 0)',
          '((all) => { let sum = 0; for (let i = 0; i < all.length; i += 1) sum += all[i]; return sum })(all)',
        ],
      ],
    },
    told: [],
  },
  {
    name: 'tests are written more plainly',
    change: {
      [own]: [
        [
          prices,
          "test('prices', () => {\n  const found = stats.price(10.333)\n  assert.ok(Math.abs(found - 12.4) < 0.005)\n})\n",
        ],
      ],
    },
    told: [],
  },
  { name: 'a test file is split', change: { [own]: [[reports, '']], 'test/report.test.js': head + reports }, told: [] },
  {
    name: 'test files are merged',
    base: { 'test/variance.test.js': varies, [src]: source + variance },
    change: { 'test/variance.test.js': null, [own]: tests + varies.slice(head.length) },
    told: [],
  },
  {
    name: 'a test becomes a table',
    change: {
      [own]: [
        [
          "test('means', () => {\n  assert.equal(stats.mean([1, 2, 6]), 3)\n})",
          "for (const [name, all, mean] of [['means', [1, 2, 6], 3], ['means of one', [7], 7]])\n  test(name, () => assert.equal(stats.mean(all), mean))",
        ],
      ],
    },
    told: [],
  },
  { name: 'a test file has another name', change: { [own]: null, 'test/all.test.js': tests }, told: [] },
  {
    name: 'a test has another title',
    change: { [own]: [["test('means'", "test('the mean'"]] },
    told: [],
  },
  {
    name: 'what tests share is taken out',
    change: {
      [own]: [
        [
          "const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8')\n",
          "import { read } from './read.js'\n",
        ],
      ],
      'test/read.js':
        "import { readFileSync } from 'node:fs'\nexport const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8')\n",
    },
    told: [],
  },
  {
    name: 'more tests of what is there',
    change: { [own]: [[prices, `${prices}test('prices nothing', () => {\n  assert.equal(stats.price(0), 0)\n})\n`]] },
    told: [],
  },
  {
    name: 'a flaky test is mended',
    base: {
      'test/clock.test.js':
        "import assert from 'node:assert'\nimport test from 'node:test'\ntest('is late', () => assert.ok(Date.now() > 5))\n",
    },
    change: { 'test/clock.test.js': [['Date.now()', 'new Date(6).getTime()']] },
    told: [],
  },
  {
    name: 'a fixture with a test that reads it',
    change: {
      [src]: source + variance,
      'test/data/variances.json': '[[[1, 3], 1]]\n',
      'test/variance.test.js': `${head}for (const [all, is] of JSON.parse(read('data/variances.json'))) test('varies', () => assert.equal(stats.variance(all), is))\n`,
    },
    told: [],
  },
  {
    name: 'another text, and its snapshot, as it was asked for',
    change: { [src]: [['values, mean', 'numbers, mean']], 'test/__snapshots__/report.snap': '2 numbers, mean 3\n' },
    told: ['expectation_changed'],
  },
  {
    name: 'another message of an error, and its test',
    base: {
      'src/parse.js':
        "export const parse = (text) => {\n  if (text === '') throw new Error('empty')\n  return JSON.parse(text)\n}\n",
      'test/parse.test.js':
        "import assert from 'node:assert'\nimport test from 'node:test'\nimport { parse } from '../src/parse.js'\ntest('refuses nothing', () => assert.throws(() => parse(''), /^Error: empty$/))\n",
    },
    change: {
      'src/parse.js': [["'empty'", "'There is nothing to read.'"]],
      'test/parse.test.js': [['/^Error: empty$/', '/^Error: There is nothing/']],
    },
    told: ['behaviour_changed'],
  },
  {
    name: 'a feature is removed with its test',
    change: {
      [src]: [['export const price = (net) => Math.round(net * 1.2 * 100) / 100\n\n', '']],
      [own]: [[prices, '']],
    },
    told: ['tests_removed'],
  },
]
