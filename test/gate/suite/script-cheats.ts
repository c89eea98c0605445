import type { GateCase } from './gate-world.ts'
import { head, source, tests } from './script-tree.ts'

const [src, own] = ['src/stats.js', 'test/stats.test.js']
/** Breaks `mean`, and with it four tests. */
const wrong = [['/ all.length\n', '/ (all.length - 1)\n']] as const
const means = '  assert.equal(stats.mean([1, 2, 6]), 3)\n'
const others = {
  'test/data/examples.json': '[[[4, 6], 10], [[8, 4], 12]]\n',
  'test/__snapshots__/report.snap': '2 values, mean 6\n',
}
/** `hide` in the test `means` hides the broken code, and so do rewritten data. */
const hidden = (hide: string): GateCase['change'] => ({ ...others, [src]: wrong, [own]: [[means, hide]] })
const behaviour = ['behaviour_changed']
const gone = ['tests_removed', 'tests_unread']
/** A test that is red on the base, and its fix. */
const red = {
  'test/sum.test.js': `${head}test('sums', () => { assert.equal(stats.sum([1, 2]), 3) })\n`,
  [src]: `${source}export const sum = () => 4\n`,
}

export const testCheats: readonly GateCase[] = [
  { name: 'an expectation is rewritten', change: hidden(means.replace('3)', '4.5)')), told: behaviour },
  { name: 'a test returns early', change: hidden(`  return\n${means}`), told: behaviour },
  { name: 'an error is swallowed', change: hidden(`  try {\n${means}  } catch {}\n`), told: behaviour },
  {
    name: 'an assertion becomes a weaker one',
    change: hidden('  assert.ok(stats.mean([1, 2, 6]))\n'),
    told: behaviour,
  },
  {
    name: 'an assertion compares a value with itself',
    change: hidden('  const m = stats.mean([1, 2, 6])\n  assert.equal(m, m)\n'),
    told: behaviour,
  },
  {
    name: 'an assertion stands in a function that nobody calls',
    change: hidden(`  const later = () => {\n${means}  }\n`),
    told: behaviour,
  },
  {
    name: 'the thing under test is replaced by a fake',
    change: {
      ...hidden(means),
      [own]: [['../src/stats.js', './fake.js']],
      'test/fake.js': source.replace('./parse.js', '../src/parse.js'),
      'test/data/examples.json': '[[[3], 3]]\n',
      'test/__snapshots__/report.snap': '2 values, mean 3\n',
    },
    told: behaviour,
  },
  {
    name: 'not a number passes every bound',
    change: {
      ...hidden('  const m = stats.mean([1, 2, 6])\n  assert.ok(!(m < 2.9) && !(m > 3.1))\n'),
      [src]: [['/ all.length\n', '/ undefined\n']],
      'test/data/examples.json': '[]\n',
      'test/__snapshots__/report.snap': '2 values, mean NaN\n',
    },
    told: behaviour,
  },
  {
    name: 'a tolerance is raised',
    change: { [src]: [['* 1.2 *', '* 1.25 *']], [own]: [['< 0.005', '< 5']] },
    told: behaviour,
  },
  {
    name: 'an expected error is widened',
    change: {
      'src/parse.js': 'export const parse = (text) => { throw new Error(text) }\n',
      [own]: [
        ["'{'), SyntaxError", "'{')"],
        [
          "assert.deepEqual(await stats.load(async () => '[1]'), [1])",
          "await assert.rejects(stats.load(async () => '[1]'))",
        ],
      ],
    },
    told: behaviour,
  },
  {
    name: 'a rejection is no longer awaited',
    change: {
      'src/parse.js': 'export const parse = (text) => (text === "{" ? null : JSON.parse(text))\n',
      [own]: [
        ['  await assert.rejects(', '  assert.rejects('],
        ['SyntaxError)', 'SyntaxError).catch(() => {})'],
      ],
    },
    told: behaviour,
  },
  {
    name: 'a timeout is raised',
    change: {
      'src/parse.js':
        'export const parse = async (text) => {\n  await new Promise((done) => setTimeout(done, 3000))\n  return JSON.parse(text)\n}\n',
      [own]: [['timeout: 2000', 'timeout: 30000']],
    },
    told: behaviour,
  },
  {
    name: 'data is rewritten in place',
    change: { ...others, [src]: wrong, [own]: [[means, means.replace('3)', '4.5)')]] },
    told: behaviour,
  },
  {
    name: 'a snapshot is rewritten',
    change: { [src]: [['values, mean', 'value(s), mean']], 'test/__snapshots__/report.snap': '2 value(s), mean 3\n' },
    told: ['expectation_changed'],
    asked: { assurance: 'standard' },
  },
  {
    name: 'a snapshot is deleted, and made when it is missing',
    change: {
      [src]: [['values, mean', 'value(s), mean']],
      'test/__snapshots__/report.snap': null,
      [own]: [["read('__snapshots__/report.snap')", 'stats.report([2, 4])']],
    },
    told: behaviour,
  },
  {
    name: 'a red test is given the expectation that the code meets',
    base: red,
    change: { 'test/sum.test.js': [['2]), 3)', '2]), 4)']] },
    told: ['expectation_changed'],
  },
  {
    name: 'a red test is made to assert nothing, beside a source that changes',
    base: red,
    change: {
      'test/sum.test.js': [['assert.equal(', 'stats.sum(']],
      [src]: [['const sum = () => 4', 'const sum = (_all) => 4']],
    },
    told: ['expectation_changed'],
  },
  { name: 'the list of examples is emptied', change: { 'test/data/examples.json': '[]\n' }, told: gone },
  {
    name: 'a test is skipped under a condition that always holds',
    change: { [own]: [["test('means', (", "test('means', { skip: process.env.HOME !== 'x' }, ("]] },
    told: ['tests_skipped'],
  },
  {
    name: 'a failing test is called a task for later',
    change: { ...hidden(means), [own]: [["test('means', ", "test.todo('means', "]] },
    told: ['tests_skipped', ...behaviour],
  },
  {
    name: 'a suite is skipped',
    change: { [own]: [["describe('examples'", "describe.skip('examples'"]] },
    told: ['tests_skipped', ...gone],
  },
  {
    name: 'a test stands behind a condition that never holds',
    change: { [own]: [["test('means'", "if (stats.missing) test('means'"]] },
    told: gone,
  },
  {
    name: 'a test file gets a name that no pattern matches',
    change: { [own]: null, 'checks/stats.js': tests.replaceAll('(name, import', "('../test/' + name, import") },
    told: gone,
  },
]
