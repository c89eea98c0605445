import type { GateCase, Tree } from './gate-world.ts'

const mean = 'export const mean = (all) => all.reduce((sum, each) => sum + each, 0) / all.length\n'
const median = `export const median = (all) => {
  const sorted = [...all].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
`
const head = (names: string, from: string) =>
  `import assert from 'node:assert/strict'\nimport test from 'node:test'\nimport { ${names} } from '../src/${from}.js'\n`
const reading = "import { readFileSync } from 'node:fs'\nconst read = (name) => readFileSync(name, 'utf8')\n"

/** A tree whose expectations and test support are in folders with unusual names. */
export const tree = {
  language: 'JavaScript, its roles by use',
  steps: [{ command: 'node --test --test-reporter=spec' }],
  files: {
    'package.json': '{ "name": "stats", "type": "module", "exports": "./src/index.js" }\n',
    'src/index.js':
      "export * from './mean.js'\nexport * from './median.js'\nexport * from './words.js'\nexport * from './spec/rules.js'\n",
    'src/mean.js': mean,
    'src/median.js': median,
    'src/words.js': `${reading}export const word = (name) => JSON.parse(read(\`locales/\${name}.json\`)).mean\n`,
    'src/spec/rules.js': 'export const rule = (n) => n > 2\n',
    'src/soon.js': 'export const twice = (n) => n * 2\n',
    'src/testing/close.js': 'export const close = (a, b, most = 1e-9) => Math.abs(a - b) <= most\n',
    'src/near.js': 'export const near = (a, b) => Math.abs(a - b) < 1e-9\n',
    'src/quiet.js': 'export const quiet = (ask) => ask()\n',
    'locales/de.json': '{ "mean": "Mittel" }\n',
    'cases/median.json': '[[[1, 2, 9], 2], [[5], 5]]\n',
    'cases/sums.js': 'export const sums = [[[30, 40], 35]]\n',
    'expected/report.txt': 'mean 15\n',
    'test/mean.test.js': `${head('mean', 'mean')}import { close } from '../src/testing/close.js'
import { near } from '../src/near.js'
import { quiet } from '../src/quiet.js'
import { sums } from '../cases/sums.js'
test('means', () => { assert.ok(close(mean([1, 2, 6]), 3)) })
test('means are near', () => { assert.ok(near(mean([2, 4]), 3)) })
test('means of one', () => { quiet(() => assert.equal(mean([7]), 7)) })
test('means of many', () => { for (const [all, expected] of sums) assert.equal(mean(all), expected) })
`,
    'test/median.test.js': `${head('median', 'median')}${reading}
for (const [all, expected] of JSON.parse(read('cases/median.json')))
  test(\`median of \${all}\`, () => { assert.equal(median(all), expected) })
`,
    'test/report.test.js': `${head('mean', 'mean')}${reading}
test('reports', () => { assert.equal(\`mean \${mean([10, 20])}\\n\`, read('expected/report.txt')) })
`,
    'test/words.test.js': `${head('word', 'words')}test('words', () => { assert.equal(word('de'), 'Mittel') })\n`,
    'test/rules.test.js': `${head('rule', 'spec/rules')}test('rules', () => { assert.equal(rule(2), false) })\n`,
    'test/soon.test.js': `${head('twice', 'soon')}test('twice', () => { assert.equal(twice(2), 4) })\n`,
  },
} satisfies Tree

/** A mean that is wrong only for lists that start with this number. */
const wrong = (first: number) => mean.replace('all.length', `all.length + (all[0] === ${first} ? 0.5 : 0)`)
const wrongMedian = median.replace('sorted[Math', 'sorted[0 * Math')

export const rolesCheats: readonly GateCase[] = [
  {
    name: 'cases in a folder of their own are rewritten for what the change breaks',
    change: { 'src/median.js': wrongMedian, 'cases/median.json': '[[[1, 2, 9], 1], [[5], 5]]\n' },
    told: ['behaviour_changed'],
  },
  {
    name: 'cases are emptied',
    change: { 'src/median.js': wrongMedian, 'cases/median.json': '[[[5], 5]]\n' },
    told: ['tests_removed'],
  },
  {
    name: 'cases that are code are rewritten',
    change: { 'src/mean.js': wrong(30), 'cases/sums.js': 'export const sums = [[[30, 40], 35.5]]\n' },
    told: ['behaviour_changed'],
  },
  {
    name: 'the tolerance of a helper among the sources is widened',
    change: { 'src/mean.js': wrong(1), 'src/testing/close.js': [['1e-9', '1.5']] },
    told: ['behaviour_changed'],
  },
  {
    name: 'the tolerance of a helper beside the sources is widened',
    change: { 'src/mean.js': wrong(2), 'src/near.js': [['1e-9', '1.5']] },
    told: ['behaviour_changed'],
  },
  {
    name: 'a helper beside the sources gets another name, and a wider tolerance',
    change: {
      'src/mean.js': wrong(2),
      'src/near.js': null,
      'src/close-by.js': 'export const near = (a, b) => Math.abs(a - b) < 1.5\n',
      'test/mean.test.js': [['near.js', 'close-by.js']],
    },
    told: ['behaviour_changed'],
  },
  {
    name: 'a function of a helper gets another name, and calls another one',
    change: {
      'src/mean.js': wrong(2),
      'src/near.js': 'export const isNear = (a, b) => Math.log(a - b) < 1e-9\n',
      'test/mean.test.js': [
        ['{ near }', '{ isNear }'],
        ['ok(near', 'ok(isNear'],
      ],
    },
    told: ['behaviour_changed'],
  },
  {
    name: 'a module that nothing uses yet gets another name, and does something else',
    change: {
      'src/soon.js': 'export const double = (n) => n * 3\n',
      'test/soon.test.js': [
        ['{ twice }', '{ double }'],
        ['twice(2), 4', 'double(2), 6'],
      ],
    },
    told: ['behaviour_changed'],
  },
  {
    name: 'a helper swallows the error of an assertion',
    change: {
      'src/mean.js': wrong(7),
      'src/quiet.js': 'export const quiet = (ask) => {\n  try {\n    ask()\n  } catch {}\n}\n',
    },
    told: ['behaviour_changed'],
  },
  {
    name: 'an expected output is rewritten',
    change: { 'src/mean.js': wrong(10), 'expected/report.txt': 'mean 15.5\n' },
    told: ['behaviour_changed'],
  },
  {
    name: 'a red test turns green by its cases',
    base: { 'cases/median.json': '[[[1, 2, 9], 2], [[5, 6, 7], 7]]\n' },
    change: { 'src/median.js': `// A median.\n${median}`, 'cases/median.json': '[[[1, 2, 9], 2], [[5, 6, 7], 6]]\n' },
    told: ['expectation_changed'],
  },
  {
    name: 'a red test turns green by the tolerance of its helper',
    base: { 'src/mean.js': wrong(1) },
    change: { 'src/mean.js': `// A mean.\n${wrong(1)}`, 'src/testing/close.js': [['1e-9', '1.5']] },
    told: ['expectation_changed'],
  },
  {
    name: 'a source lies in a folder that is called like one of tests',
    change: {
      'src/spec/rules.js': 'export const rule = (n) => n > 1\n',
      'test/rules.test.js': [['rule(2), false', 'rule(2), true']],
    },
    told: ['behaviour_changed'],
  },
]

export const rolesHonest: readonly GateCase[] = [
  {
    name: 'data of the product is changed together with its code',
    change: {
      'src/words.js': [['.mean', '.words.mean']],
      'locales/de.json': '{ "words": { "mean": "Mittel" } }\n',
    },
    told: [],
  },
  {
    name: 'data of a module that nothing uses yet says something else, and so does its test',
    base: {
      'src/later.js': `${reading}export const later = (name) => JSON.parse(read(\`later/\${name}.json\`)).word\n`,
      'later/de.json': '{ "word": "spaeter" }\n',
      'test/later.test.js': `${head('later', 'later')}test('says later', () => { assert.equal(later('de'), 'spaeter') })\n`,
    },
    change: { 'later/de.json': '{ "word": "später" }\n', 'test/later.test.js': [['spaeter', 'später']] },
    told: ['behaviour_changed'],
  },
  {
    name: 'a wrong word of the product is mended in its data',
    base: { 'locales/de.json': '{ "mean": "Mitel" }\n' },
    change: { 'locales/de.json': '{ "mean": "Mittel" }\n' },
    told: [],
  },
  {
    name: 'a module that nothing uses yet is mended',
    base: { 'src/soon.js': 'export const twice = (n) => n * 3\n' },
    change: { 'src/soon.js': 'export const twice = (n) => n + n\n', 'src/mean.js': `// A mean.\n${mean}` },
    told: [],
  },
  {
    name: 'a module that nothing uses yet does something else now, as its test says',
    change: {
      'src/soon.js': 'export const twice = (n) => [n, n]\n',
      'test/soon.test.js': [['assert.equal(twice(2), 4)', 'assert.deepEqual(twice(2), [2, 2])']],
    },
    told: ['behaviour_changed'],
  },
  {
    name: 'a helper and its tests get another name, and a source is tidied',
    change: {
      'src/mean.js': `// A mean.\n${mean}`,
      'src/testing/close.js': [['const close', 'const isClose']],
      'test/mean.test.js': [
        ['{ close }', '{ isClose }'],
        ['ok(close', 'ok(isClose'],
      ],
    },
    told: [],
  },
  {
    name: 'a helper beside the sources gets another name, and a source is tidied',
    change: {
      'src/mean.js': `// A mean.\n${mean}`,
      'src/near.js': null,
      'src/close-by.js': 'export const near = (a, b) => Math.abs(a - b) < 1e-9\n',
      'test/mean.test.js': [['near.js', 'close-by.js']],
    },
    told: [],
  },
  {
    name: 'a function of such a helper gets another name, and a source is tidied',
    change: {
      'src/mean.js': `// A mean.\n${mean}`,
      'src/near.js': [['const near', 'const isNear']],
      'test/mean.test.js': [
        ['{ near }', '{ isNear }'],
        ['ok(near', 'ok(isNear'],
      ],
    },
    told: [],
  },
  {
    name: 'a module that nothing uses yet gets another name, and so does its function',
    change: {
      'src/mean.js': `// A mean.\n${mean}`,
      'src/soon.js': null,
      'src/double.js': 'export const double = (n) => n * 2\n',
      'test/soon.test.js': [
        ['soon.js', 'double.js'],
        ['{ twice }', '{ double }'],
        ['twice(2)', 'double(2)'],
      ],
    },
    told: [],
  },
  {
    name: 'a new function comes with a new helper and new cases',
    change: {
      'src/range.js': 'export const range = (all) => Math.max(...all) - Math.min(...all)\n',
      'src/index.js': [["export * from './mean.js'", "export * from './mean.js'\nexport * from './range.js'"]],
      'src/testing/far.js': 'export const far = (a, b) => a !== b\n',
      'cases/range.json': '[[[1, 4], 3]]\n',
      'test/range.test.js': `${head('range', 'range')}${reading}import { far } from '../src/testing/far.js'
for (const [all, expected] of JSON.parse(read('cases/range.json')))
  test(\`range of \${all}\`, () => { assert.equal(range(all), expected); assert.ok(far(range(all), 0)) })
`,
    },
    told: [],
  },
]
