import { expect, test } from 'vitest'
import { isForGraph, moduleGraph } from '../../../../src/domain/gate/modules/build-graph.ts'
import { reachedBy, reaching } from '../../../../src/domain/gate/modules/graph.ts'
import { moduleTree } from '../../../../src/domain/gate/modules/module-tree.ts'

type Files = Readonly<Record<string, string>>

function graphOf(files: Files) {
  const texts = new Map(Object.entries(files).filter(([path]) => isForGraph(path)))
  return moduleGraph(moduleTree({ paths: Object.keys(files), texts, whole: true }))
}

/** The files that each file loads; files without any are omitted. */
function loadsIn(files: Files) {
  const { loads } = graphOf(files)
  return Object.fromEntries([...loads].filter(([, all]) => all.size > 0).map(([path, all]) => [path, [...all].sort()]))
}

test.each<readonly [string, Files, Readonly<Record<string, readonly string[]>>]>([
  [
    'JavaScript and TypeScript',
    {
      'package.json': '{ "name": "all", "imports": { "#util/*": "./src/util/*.js" } }',
      'src/index.ts':
        "import a, {\n  b } from './a.js'\nexport * from './b'\nconst c = await import('./c.mjs')\nimport type { D } from \"./d\"\n// import './e.js'\nconst text = \"import './e.js'\"\n",
      'src/a.ts': "import { one } from '#util/one'\nconst two = require('@all/two/deep')\n",
      'src/b/index.ts': "import data from '../data.json' with { type: 'json' }\nimport '@all/two'\n",
      'src/c.mjs': '',
      'src/d.ts': '',
      'src/e.js': '',
      'src/data.json': '{}',
      'src/util/one.js': '',
      'packages/two/package.json':
        '{ "name": "@all/two", "exports": { ".": "./dist/main.js", "./deep": "./deep.js" } }',
      'packages/two/src/main.ts': "new Worker(new URL('./worker.js', import.meta.url))\n",
      'packages/two/deep.js': '',
      'packages/two/src/worker.js': "import 'left-pad'\nimport '../none.js'\n",
    },
    {
      'src/index.ts': ['src/a.ts', 'src/b/index.ts', 'src/c.mjs', 'src/d.ts'],
      'src/a.ts': ['packages/two/deep.js', 'src/util/one.js'],
      'src/b/index.ts': ['packages/two/src/main.ts', 'src/data.json'],
      'packages/two/src/main.ts': ['packages/two/src/worker.js'],
    },
  ],
  [
    'Python',
    {
      'src/app/__init__.py': 'from .stats import (\n    mean,\n    median)\n',
      'src/app/stats.py':
        'from . import parse as p\nfrom .deep.inner import x\nimport json\n"""\nimport app.none\n"""\n',
      'src/app/parse.py': '# import app.none\n',
      'src/app/none.py': '',
      'src/app/deep/__init__.py': '',
      'src/app/deep/inner.py': 'from ..none import *\n',
      'tests/conftest.py': 'pytest_plugins = ["helpers"]\n',
      'tests/helpers.py': '',
      'tests/test_stats.py': 'import app.stats as s, os\nfrom helpers import close\n',
    },
    {
      'src/app/__init__.py': ['src/app/stats.py'],
      'src/app/stats.py': [
        'src/app/__init__.py',
        'src/app/deep/__init__.py',
        'src/app/deep/inner.py',
        'src/app/parse.py',
      ],
      'src/app/deep/inner.py': ['src/app/__init__.py', 'src/app/none.py'],
      'tests/conftest.py': ['tests/helpers.py'],
      'tests/test_stats.py': ['src/app/__init__.py', 'src/app/stats.py', 'tests/conftest.py', 'tests/helpers.py'],
    },
  ],
  [
    'Go',
    {
      'go.mod': 'module example.org/area\n',
      'area.go': 'package area\n\nfunc Square(n int) int { return times(n, n) }\n',
      'times.go': 'package area\n\nfunc times(a, b int) int { return a * b }\n',
      'close.go': 'package area\n\nfunc close(a, b int) bool { return a == b }\n',
      'internal/check/check.go': 'package check\n\nfunc Same(a, b int) bool { return a == b }\n',
      'area_test.go':
        'package area\n\nimport (\n\t"testing"\n\n\t"example.org/area/internal/check"\n)\n\nfunc TestSquare(t *testing.T) { check.Same(Square(2), 4) }\n',
      'cmd/area/main.go': 'package main\n\nimport "example.org/area"\n\nfunc main() { println(area.Square(2)) }\n',
      'data/embed.go': 'package data\n\nimport _ "embed"\n\n//go:embed table.txt\nvar Table string\n',
      'data/table.txt': '',
    },
    {
      'area.go': ['times.go'],
      'area_test.go': ['area.go', 'internal/check/check.go'],
      'cmd/area/main.go': ['area.go'],
      'data/embed.go': ['data/table.txt'],
    },
  ],
  [
    'Rust',
    {
      'Cargo.toml': '[package]\nname = "my-area"\n\n[dependencies]\nother = { path = "other" }\n',
      'src/lib.rs': 'pub mod shape;\n#[cfg(test)]\nmod checks;\n// mod none;\nuse other::thing;\n',
      'src/shape/mod.rs': '#[path = "odd name.rs"]\nmod side;\n',
      'src/shape/odd name.rs': 'include_str!("../table.txt");\n',
      'src/table.txt': '',
      'src/checks.rs': '',
      'src/none.rs': '',
      'tests/area.rs': 'mod common;\nuse my_area::shape;\n',
      'tests/common/mod.rs': '',
      'other/Cargo.toml': '[package]\nname = "other"\n',
      'other/src/lib.rs': '',
    },
    {
      'src/lib.rs': ['other/src/lib.rs', 'src/shape/mod.rs'],
      'src/shape/mod.rs': ['src/shape/odd name.rs'],
      'src/shape/odd name.rs': ['src/table.txt'],
      'tests/area.rs': ['src/lib.rs', 'tests/common/mod.rs'],
    },
  ],
  [
    'C and C++',
    {
      Makefile:
        'SRC = src/area.c src/side.c\ntest: $(SRC)\n\tcc -Iinclude $(SRC) \\\n\t  tests/test_area.c -o t\n\t./t\n',
      'include/area.h': '#include <math.h>\n',
      'src/area.c': '#include "area.h"\n',
      'src/side.c': '',
      'tests/test_area.c':
        '#include "../tests/tap.h"\n/* #include "none.h" */\n#include "area.h"\nint main(void) { return 0; }\n',
      'tests/tap.h': '',
      'include/none.h': '',
      'src/check.h': '',
    },
    {
      'include/area.h': ['src/area.c'],
      'src/area.c': ['include/area.h'],
      'tests/test_area.c': ['include/area.h', 'src/area.c', 'src/side.c', 'tests/tap.h'],
    },
  ],
  [
    'shell',
    {
      'test/run.sh': '. "$(dirname "$0")/lib.sh"\n# source none.sh\nsource ./more.sh\nsh bin/tool.sh -x\n',
      'test/lib.sh': '',
      'test/more.sh': '',
      'none.sh': '',
      'bin/tool.sh': '',
    },
    { 'test/run.sh': ['bin/tool.sh', 'test/lib.sh', 'test/more.sh'] },
  ],
])('the files that each file of a tree loads, in %s', (_language, files, expected) => {
  expect(loadsIn(files)).toEqual(expected)
})

test('entry points are those in manifests, those that start by their name, and those that can be imported', () => {
  const { entries } = graphOf({
    'package.json':
      '{ "name": "a", "main": "dist/api.js", "bin": { "a": "run.js" }, "scripts": { "start": "node src/serve.js", "test": "node check/all.js" } }',
    'src/api.ts': '',
    'run.js': '',
    'src/serve.js': '',
    'check/all.js': '',
    'src/other.js': '',
    'pyproject.toml': '[project.scripts]\nb = "b.command:main"\n',
    'b/__init__.py': '',
    'b/command.py': '',
    'b/more.py': '',
    'tool.py': 'if __name__ == "__main__":\n    run()\n',
    'go.mod': 'module m\n',
    'm.go': 'package m\nfunc A() {}\n',
    'internal/i/i.go': 'package i\nfunc A() {}\n',
    'testkit/kit.go': 'package testkit\nimport "testing"\nfunc A(t *testing.T) {}\n',
    'Cargo.toml': '[package]\nname = "c"\n',
    'src/main.rs': '',
    'src/bin/two.rs': '',
    'src/part.rs': '',
    'cli.c': 'int main(void) { return 0; }\n',
    'part.c': '',
  })
  expect([...entries].sort()).toEqual(
    [
      'src/api.ts',
      'run.js',
      'src/serve.js',
      'b/__init__.py',
      'b/command.py',
      'tool.py',
      'm.go',
      'src/main.rs',
      'src/bin/two.rs',
      'cli.c',
    ].sort(),
  )
})

test('the reached files, and the files that reach them', () => {
  const graph = graphOf({
    'a.js': "import './b.js'\n",
    'b.js': "import './c.js'\n",
    'c.js': "import './a.js'\n",
    'd.js': '',
    'test/a.test.js': "import '../b.js'\n",
    'test/d.test.js': "import '../d.js'\n",
  })
  expect([...reachedBy(graph, ['test/a.test.js'])].sort()).toEqual(['a.js', 'b.js', 'c.js', 'test/a.test.js'])
  const from = ['test/a.test.js', 'test/d.test.js']
  expect([...reaching(graph, { from, wanted: ['c.js'] })]).toEqual(['test/a.test.js'])
  expect([...reaching(graph, { from, wanted: ['d.js', 'a.js'] })]).toEqual(from)
})

test('the look-ups of a tree grow with its files alone, also for modules of the system', () => {
  const looks = (count: number) => {
    const files = Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        [`a${i}/b/run.py`, 'import os\nimport sys\nfrom json import load\n'],
        [`c${i}/a.c`, '#include <stdio.h>\n#include <stdlib.h>\n'],
      ]).flat(),
    )
    const tree = moduleTree({ paths: Object.keys(files), texts: new Map(Object.entries(files)), whole: true })
    let looked = 0
    const counted = {
      ...tree,
      get paths() {
        looked += tree.paths.length
        return tree.paths
      },
      has(path: string) {
        looked += 1
        return tree.has(path)
      },
    }
    moduleGraph(counted)
    return looked
  }
  expect(looks(200)).toBeLessThan(looks(100) * 2.5)
})
