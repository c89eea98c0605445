import { expect, test } from 'vitest'
import { moduleGraph } from '../../../../src/domain/gate/modules/build-graph.ts'
import { dataUse } from '../../../../src/domain/gate/modules/data-use.ts'
import { moduleTree } from '../../../../src/domain/gate/modules/module-tree.ts'
import { judgingOf, usesOf } from '../../../../src/domain/gate/modules/uses.ts'

type Files = Readonly<Record<string, string>>

function usesIn(files: Files) {
  const tree = moduleTree({ paths: Object.keys(files), texts: new Map(Object.entries(files)), whole: true })
  return usesOf(tree, moduleGraph(tree))
}

/** The files, other than tests by name, that affect the verdict. */
function judgesIn(files: Files) {
  const uses = usesIn(files)
  const others = Object.keys(files).filter((path) => !/^tests?\//.test(path))
  return Object.fromEntries(
    others.map((path) => [path, judgingOf(uses, path)]).filter(([, judging]) => judging !== null),
  )
}

const known = { 'package.json': '{ "main": "src/index.js" }', 'src/index.js': "export * from './mean.js'\n" }
const loads = (...paths: readonly string[]) => paths.map((path) => `import '../${path}'\n`).join('')

test.each<readonly [string, Files, Readonly<Record<string, string>>]>([
  [
    'a product with an entry point',
    {
      ...known,
      'src/mean.js': '',
      'src/a/testing/x.js': '',
      'src/soon.js': '',
      'src/odd.js': '',
      'src/unused.js': '',
      'src/say.js': "import { AssertionError } from 'node:assert'\n",
      'test/mean.test.js': loads('src/index.js', 'src/a/testing/x.js', 'src/odd.js', 'src/say.js'),
      'test/soon.test.js': loads('src/soon.js'),
    },
    { 'src/a/testing/x.js': 'sure', 'src/say.js': 'sure', 'src/odd.js': 'likely', 'src/soon.js': 'likely' },
  ],
  [
    'a product without one, whose tests are named for its modules',
    {
      'package.json': '{}',
      'src/mean.js': "import './parse.js'\n",
      'src/parse.js': '',
      'src/odd.js': '',
      'src/helpers/a.js': '',
      'test/mean.test.js': loads('src/mean.js', 'src/parse.js', 'src/odd.js', 'src/helpers/a.js'),
    },
    { 'src/odd.js': 'likely', 'src/helpers/a.js': 'sure' },
  ],
  [
    'a product without one, and one test for all of it',
    {
      'src/mean.js': '',
      'src/parse.js': '',
      'src/near.js': 'export const near = 1\n',
      'test/all.js': loads('src/mean.js', 'src/parse.js', 'src/near.js'),
    },
    { 'src/near.js': 'likely' },
  ],
  [
    'helpers that the product loads as well',
    {
      ...known,
      'src/mean.js': "import './testing/x.js'\n",
      'src/testing/x.js': '',
      'test/a.js': loads('src/testing/x.js'),
    },
    {},
  ],
  [
    'tests in folders of other names, and tests inside a module',
    {
      'app/__init__.py': 'from app.stats import mean\n',
      'app/stats.py':
        'import unittest\ndef mean(all): pass\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(1, 1)\n',
      'checks/mean.py': 'from app import mean\nassert mean([1]) == 1\n',
      'proofs/mean.py':
        'import unittest\nfrom app import mean\nclass M(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(mean(1), 1)\n',
    },
    { 'checks/mean.py': 'sure', 'proofs/mean.py': 'sure' },
  ],
  [
    'modules that the product loads by aliases',
    {
      'package.json': '{ "main": "src/index.ts", "dependencies": { "lodash": "1" } }',
      'tsconfig.json':
        '{ /* a */ "compilerOptions": { "baseUrl": "./src", // b\n "paths": { "@app/*": ["app/*"], }, }, }',
      'svelte.config.js': '',
      'src/index.ts':
        "import '@app/support/hash'\nimport '$lib/helpers/date'\nimport '@ui/checks/form'\nimport 'kit/fakes'\nimport 'lodash/testing/x'\n",
      'src/app/support/hash.ts': '',
      'src/lib/helpers/date.ts': '',
      'packages/ui/checks/form.ts': '',
      'src/kit/fakes/index.ts': '',
      'src/testing/x.ts': '',
      'test/a.test.ts':
        "import '@app/support/hash'\nimport '$lib/helpers/date'\nimport '@ui/checks/form'\nimport 'kit/fakes'\nimport '../src/index'\nimport '../src/testing/x'\n",
    },
    { 'src/testing/x.ts': 'sure' },
  ],
  [
    'C with macros that check',
    {
      'src/area.h': '',
      'src/area.c': '#include "area.h"\n',
      'src/main.c': '#include "area.h"\nint main(void) {}\n',
      'src/odd.h': '#define MY_CHECK(x) ((x) ? 0 : 1)\n',
      'lib/tiny.h': '#define ASSERT_THAT(x) tiny(x)\n',
      'lib/tiny.c': '#include "tiny.h"\n',
      'tests/a.c': '#include "odd.h"\n#include "area.h"\n#include "tiny.h"\nint main(void) {}\n',
    },
    { 'src/odd.h': 'likely', 'lib/tiny.h': 'likely', 'lib/tiny.c': 'likely' },
  ],
  [
    'a library of one C header',
    { 'vec.h': '#define VEC_ASSERT(x) x\n', 'tests/test.c': '#include "../vec.h"\nint main(void) {}\n' },
    { 'vec.h': 'likely' },
  ],
  [
    'a library of assertions, and a program that does not load it',
    {
      'src/expect.js': "import assert from 'node:assert'\n",
      'bench/run.js': '',
      'test/all.test.js': loads('src/expect.js'),
    },
    { 'src/expect.js': 'likely' },
  ],
])('files that judge in %s', (_what, files, expected) => {
  expect(judgesIn(files)).toEqual(expected)
})

test.each<readonly [string, string, string, 'tests' | 'product' | null]>([
  ['a test names it', "read('data/a.json')", '', 'tests'],
  ['a test reads its folder', "readdirSync(new URL('../data/', import.meta.url))", '', 'tests'],
  ['a test makes its name', 'read(`data/${name}.json`)', '', 'tests'],
  ['the product names it', '', "import a from '../data/a.json'", 'product'],
  ['both name it', "read('data/a.json')", "read('data/a.json')", 'product'],
  ['the product makes its name', "read('data/a.json')", 'read(`data/${name}.json`)', 'product'],
  ['the product names another one of its folder', "read('data/a.json')", "read('data/b.json')", 'tests'],
  [
    'the product writes one of its name',
    "read('data/a.json')",
    "write('out/a.json'); write(join(folder, 'a.json'))",
    'tests',
  ],
  ['both name it by its name alone', 'read(`${folder}/a.json`)', "read(join(folder, 'a.json'))", 'product'],
  ['the product joins its name', "read('data/a.json')", "read(join('data', 'a.json'))", 'product'],
  ['the product has a word like its folder', "read('data/a.json')", "all['data'] = 1", 'tests'],
  ['only comments and other names have the word', '// data/a.json', "read('aa.json'); read('metadata/')", null],
])('a file of data is theirs who name it: %s', (_what, inTest, inProduct, expected) => {
  const uses = usesIn({
    ...known,
    'src/mean.js': `${inProduct}\n`,
    'data/a.json': '',
    'test/a.test.js': `${loads('src/index.js')}${inTest}\n`,
  })
  const naming = { commands: ['node --test'], isConfig: () => false }
  expect(dataUse({ uses, naming }, 'data/a.json')).toBe(expected)
})

const cities: Files = { 'data/cities.json': '[]', 'test/cities.test.js': "read('data/cities.json')\n" }
const locales: Files = { 'src/locales/de.json': '{}', 'test/a.test.js': "read('src/locales/de.json')\n" }
const checkFor = { 'package.json': '{}', 'scripts/check.js': "read('data/cities.json')\n" }

test.each<readonly [string, Files, string, 'tests' | 'product' | null]>([
  ['no program of a product reads it', cities, 'data/cities.json', 'product'],
  ['only scripts and tests read it', { ...cities, ...checkFor }, 'data/cities.json', 'product'],
  [
    'the loader beside it computes names',
    { ...known, ...locales, 'src/locales/index.js': 'export const load = (name) => import(`./${name}.json`)\n' },
    'src/locales/de.json',
    'product',
  ],
  [
    'a loader above it computes names from its own place',
    { ...known, ...locales, 'src/text.js': 'readFileSync(join(import.meta.dirname, kind, `${name}.json`))\n' },
    'src/locales/de.json',
    'product',
  ],
  [
    'a module beside it reads another file by its name',
    {
      ...known,
      ...locales,
      'src/locales/index.js': "readFileSync(new URL('./names.json', import.meta.url), 'utf8')\n",
    },
    'src/locales/de.json',
    'tests',
  ],
  [
    'a program reads what it is given',
    { ...known, ...cities, 'src/mean.js': 'readFileSync(process.argv[2])\n' },
    'data/cities.json',
    'tests',
  ],
  [
    'a package of Go imports several others',
    {
      'go.mod': 'module a\n',
      'cases/a.json': '[]',
      'a.go': 'package a\n\nimport (\n\t_ "embed"\n\t"fmt"\n)\n',
      'a_test.go': 'package a\n\nfunc TestA(t *testing.T) {\n\tos.ReadFile("cases/a.json")\n}\n',
    },
    'cases/a.json',
    'tests',
  ],
  [
    'a module of Python imports several names',
    {
      'mean.py': 'from math import (\n    fsum,\n    sqrt,\n)\n',
      'cases/a.json': '[]',
      'tests/test_mean.py': 'import mean\n\n\ndef test_a():\n    open("cases/a.json")\n',
    },
    'cases/a.json',
    'tests',
  ],
  [
    'nobody names it and a module computes names',
    { ...known, 'de/x.json': '', 'src/mean.js': 'readFileSync(placeOf(name))\n', 'test/a.test.js': '' },
    'de/x.json',
    'product',
  ],
  [
    'nobody names it and no module computes names',
    { ...known, 'de/x.json': '', 'src/mean.js': '', 'test/a.test.js': loads('src/mean.js') },
    'de/x.json',
    null,
  ],
])('a file of data may be of the product: %s', (_what, files, path, expected) => {
  const naming = { commands: [], isConfig: (each: string) => /^(?:scripts|package)/.test(each) }
  expect(dataUse({ uses: usesIn(files), naming }, path)).toBe(expected)
})

test('a file of data is of tests where a step compares with it, itself or by a Makefile', () => {
  const files = { 'src/main.c': 'int main(void) {}\n', 'expected/a.txt': '', Makefile: 'check:\n\tdiff expected out\n' }
  const isConfig = (path: string) => path === 'Makefile'
  const use = (commands: readonly string[], given: Files = files) =>
    dataUse({ uses: usesIn(given), naming: { commands, isConfig } }, 'expected/a.txt')
  expect(use(['diff -r expected out'])).toBe('tests')
  expect(use(['make check'])).toBe('tests')
  expect(use(['make check'], { ...files, Makefile: 'check:\n\t./all\n' })).toBeNull()
})
