import type { GateCase } from './gate-world.ts'
import { head, source, tests } from './script-tree.ts'

const [src, own] = ['src/stats.js', 'test/stats.test.js']
const told = ['no_tests']
const variance = 'export const variance = (all) => mean(all.map((each) => (each - mean(all)) ** 2))\n'
const median = `export function median(all) {
  const sorted = all.toSorted((a, b) => a - b)
  if (sorted.length === 0) return Number.NaN
  return sorted[Math.floor(sorted.length / 2)]
}
`
const mean = 'export const mean = (all) => all.reduce((sum, each) => sum + each, 0) / all.length\n'
const longMean = `export function mean(all) {
  let sum = 0
  for (const each of all) sum += each
  return sum / all.length
}
`

/** Code that is submitted without a test. */
export const untestedScript: readonly GateCase[] = [
  { name: 'a new function without a test', change: { [src]: source + median }, told },
  { name: 'a new function in a line', change: { [src]: source + variance }, told },
  {
    name: 'two new functions, one of them with a test',
    change: {
      [src]: source + variance + median,
      'test/variance.test.js': `${head}test('varies', () => { assert.equal(stats.variance([1, 3]), 1) })\n`,
    },
    told,
  },
  {
    name: 'a new function that its test only looks up',
    change: {
      [src]: source + median,
      'test/median.test.js': `${head}test('has a median', () => { assert.equal(typeof stats.median, 'function') })\n`,
    },
    told,
  },
  {
    name: 'a new branch in a tested function',
    base: { [src]: source.replace(mean, longMean) },
    change: {
      [src]: [
        ['  let sum = 0\n', "  if (all.at(0) === 'secret') {\n    return globalThis.secret\n  }\n  let sum = 0\n"],
      ],
    },
    told,
  },
  {
    name: 'a new error path',
    base: { [src]: source.replace(mean, longMean) },
    change: {
      [src]: [['  let sum = 0\n', "  if (!Array.isArray(all)) throw new TypeError('no list')\n  let sum = 0\n"]],
    },
    told,
  },
  {
    name: 'a new branch, and a test of something else',
    base: { [src]: source.replace(mean, longMean) },
    change: {
      [src]: [['  let sum = 0\n', '  if (all.length > 1e6) {\n    return sampled(all)\n  }\n  let sum = 0\n']],
      'test/more.test.js': `${head}test('means nothing much', () => { assert.equal(stats.mean([0]), 0) })\n`,
    },
    told,
  },
  {
    name: 'a new file that nothing imports',
    change: { 'src/orphan.js': `import { mean } from './stats.js'\n\n${variance}` },
    told,
  },
  {
    name: 'a new option of the command line',
    base: {
      'src/cli.js': "export function main(args) {\n  const name = args[0] ?? 'all'\n  return name\n}\n",
      'test/cli.test.js':
        "import assert from 'node:assert'\nimport test from 'node:test'\nimport { main } from '../src/cli.js'\ntest('names all', () => assert.equal(main([]), 'all'))\n",
    },
    change: {
      'src/cli.js': [
        ['  return name\n', "  if (args.includes('--loud')) {\n    return name.toUpperCase()\n  }\n  return name\n"],
      ],
    },
    told,
  },
  {
    name: 'a new case of a switch',
    base: {
      'src/kind.js':
        "export function kind(x) {\n  switch (typeof x) {\n    case 'number':\n      return 'n'\n    default:\n      return '?'\n  }\n}\n",
      'test/kind.test.js':
        "import assert from 'node:assert'\nimport test from 'node:test'\nimport { kind } from '../src/kind.js'\ntest('kinds', () => { assert.equal(kind(1), 'n'); assert.equal(kind(null), '?') })\n",
    },
    change: { 'src/kind.js': [['    default:\n', "    case 'string':\n      return 's'\n    default:\n"]] },
    told,
  },
  {
    name: 'a new method of a class',
    base: {
      'src/box.js': 'export class Box {\n  constructor(x) {\n    this.x = x\n  }\n}\n',
      'test/box.test.js':
        "import assert from 'node:assert'\nimport test from 'node:test'\nimport { Box } from '../src/box.js'\ntest('boxes', () => assert.equal(new Box(1).x, 1))\n",
    },
    change: {
      'src/box.js': [['    this.x = x\n  }\n', '    this.x = x\n  }\n\n  double() {\n    return this.x * 2\n  }\n']],
    },
    told,
  },
  {
    name: 'untested code is changed',
    base: { [src]: source + median },
    change: { [src]: [['sorted.length / 2', '(sorted.length - 1) / 2']] },
    told,
  },
]

/** Changes that need no test of their own. */
export const heldScript: readonly GateCase[] = [
  {
    name: 'an example, and a plugin of a tool',
    base: { 'tool.config.js': 'export default { plugins: [] }\n' },
    change: {
      'examples/mean.js': "import { mean } from '../src/stats.js'\nconsole.log(mean([1, 2]))\n",
      'tool.config.js': [['[]', '[plugin()]']],
    },
    told: [],
  },
  { name: 'comments alone', change: { [src]: source.replace('\n\n', '\n\n// Means of lists.\n') }, told: [] },
  { name: 'documentation', change: { 'docs/stats.md': '# Means\n', 'README.md': 'Means.\n' }, told: [] },
  {
    name: 'formatting',
    base: { [src]: source + median },
    change: {
      [src]: [
        ['(a, b) => a - b)', '(\n    a,\n    b,\n  ) => a - b);'],
        ['if (sorted.length === 0) return', 'if (sorted.length === 0)\n    return'],
      ],
    },
    told: [],
  },
  {
    name: 'data',
    change: { 'src/rates.json': '{ "vat": 0.2 }\n', 'src/rates.js': 'export const rates = { vat: 0.2 }\n' },
    told: [],
  },
  {
    name: 'another name for a variable of an untested function',
    base: { [src]: source + median },
    change: {
      [src]: [['sorted', 'ordered']],
    },
    told: [],
  },
  {
    name: 'an untested function moves to another file',
    base: { [src]: source + median },
    change: { [src]: [[median, "import { median } from './median.js'\nexport { median }\n"]], 'src/median.js': median },
    told: [],
  },
  { name: 'a refactoring that all tests reach', change: { [src]: [[mean, longMean]] }, told: [] },
  { name: 'a change that old tests reach', change: { [src]: [['net * 1.2 * 100', 'net * 120']] }, told: [] },
  {
    name: 'a fix with its test',
    base: { [src]: source.replace(mean, longMean) },
    change: {
      [src]: [['  let sum = 0\n', '  if (all.length === 0) {\n    return 0\n  }\n  let sum = 0\n']],
      [own]: `${tests}test('nothing has a mean', () => {\n  assert.equal(stats.mean([]), 0)\n})\n`,
    },
    told: [],
  },
  {
    name: 'a new function with an error path beside what its test reaches',
    change: {
      [src]: source + median,
      'test/median.test.js': `${head}test('is in the middle', () => { assert.equal(stats.median([3, 1, 2]), 2) })\n`,
    },
    told: [],
  },
  { name: 'an untested function goes', base: { [src]: source + median }, change: { [src]: [[median, '']] }, told: [] },
  {
    name: 'types alone',
    base: { 'src/side.ts': 'export function side(x) {\n  return x\n}\n' },
    change: {
      'src/side.ts': 'export interface Side {\n  x: number\n}\nexport function side(x: Side): Side {\n  return x\n}\n',
    },
    told: [],
  },
  {
    name: 'a generated file',
    change: { 'src/api.js': '// Code generated by a tool. DO NOT EDIT.\nexport function get() {\n  return 1\n}\n' },
    told: [],
  },
]
