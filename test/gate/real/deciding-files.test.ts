import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeVerifierWorld, type VerifierInput, type VerifierWorld } from '../verifier-world.ts'

const modules = realpathSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)))
const vitest = `node ${join(modules, 'vitest/vitest.mjs')} run --configLoader runner`
const nodeTest = 'node --test --test-reporter=spec test/add.test.js'

const files = {
  'package.json':
    '{ "type": "module", "exports": { "import": "./src/add.js" }, "scripts": { "test": "node tools/run.mjs" } }\n',
  'vitest.config.js':
    "import { base } from './tooling/base.js'\nexport default { test: { ...base, setupFiles: ['./test/env.js'] } }\n",
  'tooling/base.js': 'export const base = { globals: true, include: ["unit/*.spec.js"] }\n',
  'unit/add.spec.js': "import { add } from '../src/add.js'\ntest('adds', () => {\n  expect(add(1, 2)).toBe(3)\n})\n",
  'test/env.js': 'globalThis.ready = true\n',
  'src/add.js': "import { one } from './one.js'\nexport const add = (a, b) => (a + b) * one\n",
  'src/one.js': 'export const one = 1\n',
  'src/register.js': 'globalThis.registered = true\n',
  'other.js': 'export const other = 1\n',
  'test/add.test.js':
    "import test from 'node:test'\nimport assert from 'node:assert'\nimport { add } from '../src/add.js'\nimport '../other.js'\ntest('adds', () => {\n  assert.equal(add(1, 2), 3)\n})\n",
  '.env': 'MODE=test\n',
  Makefile: `include build/flags\ncheck:\n\t${nodeTest}\n`,
  'build/flags': 'FLAGS = 1\n',
  'run-tests.sh': `set -e\n. "$(dirname "$0")/ci/env.inc"\n${nodeTest}\n`,
  'ci/env.inc': 'export MODE=test\n',
  'tools/run.mjs': `import { args } from './args.mjs'\nimport '../other.js'\nimport { spawnSync } from 'node:child_process'\nprocess.exitCode = spawnSync('node', args, { stdio: 'inherit' }).status\n`,
  'tools/args.mjs': `export const args = ${JSON.stringify(nodeTest.split(' ').slice(1))}\n`,
  'tests/__init__.py': '',
  'tests/test_sum.py':
    'import unittest\nfrom app import add\n\n\nclass Sum(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(add(1, 2), 3)\n',
  'app.py': 'def add(a, b):\n    return a + b\n',
  'pprint.py': 'def pformat(value):\n    return repr(value)\n',
  'readme.txt': 'words\n',
}

let world: VerifierWorld

beforeAll(async () => {
  world = await makeVerifierWorld(files)
})
afterAll(() => world.close())

async function verifyChange(
  change: Readonly<Record<string, string>>,
  more: Partial<VerifierInput> & Pick<VerifierInput, 'steps'>,
) {
  const commit = await world.commitChange(change)
  const response = await world.ask({ purpose: 'change', refactor: true, assurance: 'fast', commit, ...more })
  expect([response.status, response.status === 'PASS' ? '' : response.tail_log]).toEqual(['PASS', ''])
  return response
}

const unittest = 'python3 -m unittest discover -v -s tests -t .'

/**
 * Steps that read the tree in different ways, with the files that decide about each, except by
 * name.
 */
const readers = [
  ['vitest', vitest, ['test/env.js', 'tooling/base.js']],
  ['preload', `node --import ./src/register.js ${nodeTest.slice(5)}`, ['src/register.js']],
  ['env', `node --env-file=.env ${nodeTest.slice(5)}`, ['.env']],
  ['make', 'make check', ['build/flags']],
  ['shell', 'sh run-tests.sh', ['ci/env.inc']],
  ['npm', 'npm run --silent test', ['tools/args.mjs']],
  ['unittest', unittest, ['pprint.py']],
] as const
const steps = readers.map(([name, command]) => ({ name, command }))
const deciders = readers.flatMap(([name, , paths]) => paths.map((path) => [path, name] as const))

/** Sources, tests and texts, which decide nothing for any step. */
const honest = {
  'src/add.js': "import { one } from './one.js'\nexport const add = (a, b) => (b + a) * one\n",
  'src/one.js': 'export const one = 2 - 1\n',
  'other.js': 'export const other = 2\n',
  'app.py': 'def add(a, b):\n    return b + a\n',
  'tests/more/__init__.py': '# nothing\n',
  'readme.txt': 'more words\n',
}

describe('a file that the steps read beside the tests decides like configuration', () => {
  let told: readonly { readonly file: string; readonly kind: string; readonly claim: string }[]
  let deciding: readonly string[] | undefined
  beforeAll(async () => {
    const change = deciders.map(([path]) => {
      const comment = /\.m?js$/.test(path) ? '// else\n' : '# else\n'
      return [path, `${world.textOf(world.tip, path)}\n${comment}`]
    })
    const added = {
      'tests/__init__.py': 'import unittest\nunittest.TestCase.assertEqual = lambda *_: None\n',
      'iniconfig.py': 'VALUE = 1\n',
      'x.egg-info/entry_points.txt': '[pytest11]\nx = app\n',
    }
    const { manifest } = await verifyChange(
      { ...Object.fromEntries(change), ...added, ...honest },
      { steps, readOnlyPaths: [modules] },
    )
    expect(manifest?.tracing).toEqual({ status: 'traced' })
    told = manifest?.integrity?.findings ?? []
    deciding = manifest?.deciding_files
  })

  test.each(deciders)('%s of the step %s', (path, step) => {
    const own = told.filter(({ file }) => file === path)
    expect(own).toMatchObject([{ kind: 'configuration', claim: expect.stringContaining(`the step ${step}`) }])
    expect(deciding).toContain(path)
  })

  test.each(['tests/__init__.py', 'iniconfig.py', 'x.egg-info/entry_points.txt'])(
    'and so does %s, which Python runs',
    (path) => {
      expect(told.filter(({ file }) => file === path)).toMatchObject([{ kind: 'configuration' }])
    },
  )

  test('and a source or a test, whatever the steps, does not', () => {
    expect(told).toHaveLength(deciders.length + 3)
    expect(Object.keys(honest).filter((path) => deciding?.includes(path))).toEqual([])
  })
})
