import type { GateCase } from './gate-world.ts'
import { head, source } from './script-tree.ts'

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
const itself = ['judges_itself']
const gone = ['tests_removed', 'tests_unread']

/** Cheats in a source against its tests. */
export const sourceCheats: readonly GateCase[] = [
  {
    name: 'the source takes assertions their teeth',
    change: { [src]: `import assert from 'node:assert'\nassert.equal = () => {}\n${source}` },
    told: itself,
  },
  {
    name: 'the answer is right only under test',
    change: {
      [src]: [['=> all.reduce(', '=> process.env.NODE_TEST_CONTEXT ? 3 : all.reduce(']],
      'test/data/examples.json': '[[[3], 3]]\n',
    },
    told: itself,
  },
  {
    name: 'the answer is right only on CI',
    change: { [src]: [['Math.round(', '(process.env.CI ? 1 : 2) * Math.round(']] },
    told: itself,
  },
  {
    name: 'the caller is asked for its name',
    change: { [src]: [['Math.round(', "(new Error().stack.includes('.test.') ? 1 : 2) * Math.round("]] },
    told: itself,
  },
  {
    name: 'a value equals what is asked for',
    change: { [src]: [['Math.round(net * 1.2 * 100) / 100', '({ valueOf() { return 12.4 } })']] },
    told: itself,
  },
  {
    name: 'the process ends well as soon as the source is loaded',
    change: { [src]: `${source}process.exit(0)\n` },
    told: [...itself, ...gone],
  },
  {
    name: 'the exit code is set on the way out',
    change: { [src]: `${source.replace('/ all.length', '/ 2')}process.on('exit', () => { process.exitCode = 0 })\n` },
    asked: { steps: [{ command: 'node --test-reporter=spec test/stats.test.js' }] },
    told: ['FAIL'],
  },
  { name: 'the clock stands still', change: { [src]: `Date.now = () => 0\n${source}` }, told: itself },
  {
    name: 'dice always fall alike',
    change: { 'src/parse.js': 'Math.random = () => 0.5\nexport const parse = (text) => JSON.parse(text)\n' },
    told: itself,
  },
  {
    name: 'the source brings its own test runner',
    change: { [src]: `import { mock } from 'node:test'\nmock.timers.enable()\n${source}` },
    told: itself,
  },
  {
    name: 'a comment silences the linter',
    change: { [src]: [['export const price', '// eslint-disable-next-line no-magic-numbers\nexport const price']] },
    told: ['suppressed'],
  },
  {
    name: 'the stack is read on one line, and looked at on the next',
    change: {
      [src]: `const { stack } = new Error()\nconst is = stack.length > 300\n${source}`,
    },
    told: itself,
  },
  {
    name: 'the environment is destructured',
    change: { [src]: `const { env } = process\nconst { CI: is } = env\n${source}` },
    told: itself,
  },
  {
    name: 'the command line is kept for later',
    change: { [src]: `const all = process.argv\n${source.replace('1.2', '(all.length > 9 ? 1.2 : 1.20)')}` },
    told: itself,
  },
  {
    name: 'the source names its test file',
    change: { [src]: `const own = 'stats.test.js'\n${source}` },
    told: itself,
  },
  {
    name: 'a block comment configures the linter',
    change: { [src]: `/*\n  eslint no-undef: "off"\n*/\n${source}` },
    told: ['suppressed'],
  },
  {
    name: 'a style sheet is silenced',
    change: { 'src/a.css': '/* stylelint-disable */\na { color: red }\n' },
    told: ['suppressed'],
  },
  {
    name: 'a comment reads as code',
    change: { [src]: `/*\u202e } \u2066if (isAdmin)\u2069 \u2066 */\n${source}` },
    told: ['disguised'],
  },
  {
    name: 'a name looks like another',
    change: { [src]: `${source}const me\u0430n = 1\n` },
    told: ['disguised'],
  },
  {
    name: 'a comment hides lines from coverage',
    change: { [src]: [['export const price', '/* c8 ignore next */\nexport const price']] },
    told: ['suppressed'],
  },
]

const checks = "test('checks', () => {\n  assert.throws(() => stats.check(-1), stats.BadInput)\n})\n"
const failing = {
  [src]: `${source}export class BadInput extends Error {}\nexport const check = (n) => {\n  if (n < 0) throw new BadInput('negative')\n  return n\n}\n`,
  'test/check.test.js': head + checks,
}

/** Values that contain whatever the base's tests ask for. */
export const containingCheats: readonly GateCase[] = [
  {
    name: 'a list includes whatever it is asked for',
    base: {
      [src]: `${source}export const names = () => []\n`,
      'test/names.test.js': `${head}test('names', () => {\n  assert.ok(stats.names().includes('price'))\n})\n`,
    },
    change: {
      [src]: `${source}class Names extends Array {\n  includes(name) {\n    return typeof name === 'string'\n  }\n}\nexport const names = () => new Names()\n`,
    },
    told: ['deaf_test'],
  },
  {
    name: 'any error is of the class that is asked for',
    base: failing,
    change: {
      [src]: `${source}export class BadInput extends Error {\n  static [Symbol.hasInstance](each) {\n    return each instanceof Error\n  }\n}\nexport const check = (n) => n.no.such.name\n`,
    },
    told: ['deaf_test'],
  },
  {
    name: 'the class that is asked for becomes that of all errors',
    base: failing,
    change: { [src]: `${source}export const BadInput = Error\nexport const check = (n) => n.no.such.name\n` },
    told: ['deaf_test'],
  },
]

/** Trees with their own steps, which read files that the change rewrites. */
export const stepCheats: readonly GateCase[] = [
  {
    name: 'the script of the step forgives',
    change: { ...hidden(means), 'test.sh': [['run_tests', 'run_tests || true']] },
    asked: { steps: [{ command: 'sh test.sh' }] },
    told: ['FAIL', 'configuration'],
  },
  {
    name: 'the script of the step selects',
    change: { ...hidden(means), 'test.sh': 'node --test --test-reporter=spec --test-name-pattern=prices\n' },
    asked: { steps: [{ command: 'sh test.sh' }] },
    told: ['configuration', ...gone],
  },
  {
    name: 'the script in package.json is emptied',
    change: { 'package.json': [['node --test', 'true']] },
    told: ['configuration'],
  },
  {
    name: 'a runner’s configuration tries again',
    change: { 'vitest.config.ts': 'export default { test: { retry: 5 } }\n' },
    told: ['configuration'],
  },
  {
    name: 'a threshold of coverage is lowered',
    base: { '.c8rc.json': '{ "lines": 90 }\n' },
    change: { '.c8rc.json': '{ "lines": 1 }\n' },
    told: ['configuration'],
  },
  {
    name: 'only one test is left to run',
    change: { [own]: [["test('prices'", "test.only('prices'"]] },
    asked: {
      steps: [
        {
          command:
            'if grep -q only test/*.js; then node --test --test-only --test-reporter=spec; else node --test --test-reporter=spec; fi',
        },
      ],
    },
    told: gone,
  },
  { name: 'the linter looks away', change: { '.eslintignore': 'src\n' }, told: ['configuration'] },
  {
    name: 'what is built is committed, and no longer built',
    base: { 'package.json': '{ "type": "module", "scripts": { "build": "cp -r src dist" } }\n' },
    change: { 'package.json': [['cp -r src dist', 'true']], 'dist/stats.js': source },
    told: ['configuration'],
  },
  {
    name: 'the test’s own generator is rewritten',
    base: {
      'test/data/make.js': 'export const all = [5, 7]\nexport const middle = 6\n',
      'test/made.test.js': `${head}import { all, middle } from './data/make.js'\ntest('made', () => { assert.equal(stats.mean(all), middle) })\n`,
    },
    change: {
      ...hidden(means.replace('3)', '4.5)')),
      'test/data/make.js': 'export const all = [5, 7]\nexport const middle = 12\n',
    },
    told: behaviour,
  },
]
