export type Files = Readonly<Record<string, string>>

/** A change of a project: it maps the base's files, without the lock file, to new ones. */
export interface Row {
  readonly what: string
  readonly base: Files
  readonly change: Files
  /** True if the lock file has another form with the same meaning. */
  readonly isRewritten?: true
  /** The files of the expected findings, except the lock file. */
  readonly told: readonly string[]
}

export const inDevelopment = 'moved to the dependencies of development'
export const inLockFile = 'changed in the lock file alone'

const moduleOf = (name: string, version: number) => ({
  [`local/${name}-${version}/package.json`]: `${JSON.stringify({ name, version: `${version}.0.0`, main: 'index.js' })}\n`,
  [`local/${name}-${version}/index.js`]: `module.exports = ${version}\n`,
})
const testOf = (...lines: readonly string[]) =>
  [
    "const test = require('node:test')",
    "const assert = require('node:assert')",
    "const { sum } = require('../src/sum.js')",
    "test('sums', () => assert.equal(sum(1, 2), 3))",
    ...lines,
    '',
  ].join('\n')
const sumOf = (head: string, factor: string) => `${head}\nexports.sum = (a, b, by = 1) => (a + b) * by * ${factor}\n`
const newTest = "test('multiplies', () => assert.equal(sum(1, 2, 3), 9))"

interface Dependencies {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

export interface Workspace {
  readonly files: Files
  /** The version by which one package of a workspace depends on another. */
  readonly version: string
}

export function nodeRows({ files: workspace, version }: Workspace): readonly Row[] {
  const manifest = (more: Dependencies) =>
    `${JSON.stringify({ name: 'root', version: '1.0.0', private: true, ...more })}\n`
  const [one, two] = ['file:./local/one-1', 'file:./local/two-2']
  const base: Files = {
    ...moduleOf('one', 1),
    ...moduleOf('one', 2),
    ...moduleOf('two', 2),
    'package.json': manifest({ dependencies: { one } }),
    'src/sum.js': sumOf("const one = require('one')", 'one').replace(', by = 1', '').replace(' * by', ''),
    'test/sum.test.js': testOf(),
    '.gitignore': 'node_modules\n',
  }
  const extra = { ...base, 'package.json': manifest({ dependencies: { one, two } }) }
  const sources = (head: string, factor: string) => ({
    'src/sum.js': sumOf(head, factor),
    'test/sum.test.js': testOf(newTest),
  })
  const usual = sources("const one = require('one')", 'one')
  const packageOf = (name: string, more: object = {}) =>
    `${JSON.stringify({ name, version: '1.0.0', main: 'index.js', ...more })}\n`
  const inWorkspace = (dependencies: Readonly<Record<string, string>>) =>
    `${JSON.stringify({ name: 'root', version: '1.0.0', private: true, workspaces: ['packages/*'], dependencies })}\n`
  const whole: Files = {
    ...base,
    ...workspace,
    'package.json': inWorkspace({ one, a: version }),
    'packages/a/package.json': packageOf('a'),
    'packages/a/index.js': 'module.exports = 1\n',
  }
  return [
    {
      what: 'added',
      base,
      change: {
        'package.json': manifest({ dependencies: { one, two } }),
        ...sources("const one = require('one')\nconst two = require('two')", '(one * two) / 2'),
      },
      told: ['package.json'],
    },
    {
      what: 'removed',
      base: extra,
      change: { 'package.json': manifest({ dependencies: { one } }), ...usual },
      told: ['package.json'],
    },
    {
      what: 'raised',
      base,
      change: {
        'package.json': manifest({ dependencies: { one: 'file:./local/one-2' } }),
        ...sources("const one = require('one')", '(one / 2)'),
      },
      told: ['package.json'],
    },
    {
      what: inDevelopment,
      base: extra,
      change: { 'package.json': manifest({ dependencies: { one }, devDependencies: { two } }), ...usual },
      told: ['package.json'],
    },
    {
      what: 'added as a package of the workspace with a dependency of its own',
      base: whole,
      change: {
        'package.json': inWorkspace({ one, a: version, b: version }),
        'packages/b/package.json': packageOf('b', { dependencies: { two: 'file:../../local/two-2' } }),
        'packages/b/index.js': "module.exports = require('two')\n",
        ...sources("const one = require('one')\nconst b = require('b')", '(one * b) / 2'),
      },
      told: ['package.json'],
    },
    { what: inLockFile, base, isRewritten: true, change: usual, told: [] },
  ]
}

const pythonTest = (...lines: readonly string[]) =>
  [
    'import unittest',
    'from sums import sum_of',
    '',
    '',
    'class Sums(unittest.TestCase):',
    '    def test_sums(self):',
    '        self.assertEqual(sum_of(1, 2), 3)',
    ...lines,
    '',
  ].join('\n')
export function pythonRows(): readonly Row[] {
  const base: Files = {
    'requirements.txt': 'one==1.0\n',
    'requirements-dev.txt': '# none yet\n',
    'sums.py': 'import one\n\n\ndef sum_of(a, b):\n    return (a + b) * one.value\n',
    'test_sums.py': pythonTest(),
    '.gitignore': 'deps\n',
  }
  const change = (requirements: string, head: string, factor: string) => ({
    'requirements.txt': requirements,
    'sums.py': `${head}\n\n\ndef sum_of(a, b, by=1):\n    return (a + b) * by * ${factor}\n`,
    'test_sums.py': pythonTest('', '    def test_multiplies(self):', '        self.assertEqual(sum_of(1, 2, 3), 9)'),
  })
  const extra = { ...base, 'requirements.txt': 'one==1.0\ntwo==2.0\n' }
  const both = change('one==1.0\ntwo==2.0\n', 'import one\nimport two', '(one.value * two.value // 2)')
  const raised = change('one==2.0\n', 'import one', '(one.value // 2)')
  const [usual, dev] = [change('one==1.0\n', 'import one', 'one.value'), 'requirements-dev.txt']
  return [
    { what: 'added', base, told: [], change: both },
    { what: 'removed', base: extra, told: [], change: usual },
    { what: 'raised', base, told: [], change: raised },
    { what: inDevelopment, base: extra, told: [dev], change: { ...usual, [dev]: 'two==2.0\n' } },
  ]
}
