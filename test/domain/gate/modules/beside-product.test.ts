import { expect, test } from 'vitest'
import { besideProduct } from '../../../../src/domain/gate/modules/beside-product.ts'
import { moduleGraph } from '../../../../src/domain/gate/modules/build-graph.ts'
import { moduleTree } from '../../../../src/domain/gate/modules/module-tree.ts'
import { expectSoon } from '../../expect-soon.ts'

type Files = Readonly<Record<string, string>>

/** The files, other than tests, that need no test. */
function besideIn(files: Files): readonly string[] {
  const paths = Object.keys(files)
  const tree = moduleTree({ paths, texts: new Map(Object.entries(files)), whole: true })
  return [...besideProduct(paths, moduleGraph(tree))]
}

const loading = (...paths: readonly string[]) => paths.map((path) => `import '../${path}'\n`).join('')

test.each<readonly [string, readonly string[]]>([
  [
    'examples, benchmarks, fuzz targets, stories and configuration',
    [
      'examples/server.js',
      'benchmarks/run.py',
      'benches/b.rs',
      'fuzz/fuzz_targets/a.rs',
      'demo/app.js',
      'src/a.stories.tsx',
      '.storybook/main.js',
      'tailwind.config.js',
      'web/next.config.mjs',
      '.eslintrc.cjs',
      'src/sum.bench.ts',
      'gulpfile.js',
      'examples/lib/a.js',
    ],
  ],
])('%s lie beside the product', (_, paths) => {
  expect(besideIn(Object.fromEntries(paths.map((path) => [path, ''])))).toEqual(paths)
  expect([...besideProduct(paths, null)]).toEqual(paths)
})

test('an example may load the product, and itself', () => {
  const files = {
    'examples/server.js': "import '../src/index.js'\nimport './lib/say.js'\n",
    'examples/lib/say.js': '',
    'src/index.js': '',
  }
  expect(besideIn(files)).toEqual(['examples/server.js', 'examples/lib/say.js'])
})

test('a file that the product or a test loads belongs to the product, whatever its name', () => {
  const files = {
    'src/index.js': loading('src/demo/app.js', 'app.config.js'),
    'src/demo/app.js': loading('src/demo/../bench/time.js').replace('../src', '..'),
    'src/bench/time.js': '',
    'app.config.js': '',
    'test/server.test.js': loading('examples/server.js'),
    'examples/server.js': '',
    'examples/other.js': '',
  }
  expect(besideIn(files)).toEqual(['examples/other.js'])
})

test('other names are of the product, also where nothing loads them', () => {
  const paths = [
    'server.js',
    'src/profile.js',
    'src/user-story.ts',
    'src/benchmarking.py',
    'src/configs.js',
    'a/config.js',
  ]
  expect(besideIn(Object.fromEntries(paths.map((path) => [path, ''])))).toEqual([])
})

test('is told soon, however long a path is', () => {
  for (const part of ['/', '.', 'a', '.a/', '-', '.config', '_', 'fuzz', 'bench_'])
    expectSoon(() => besideProduct([part.repeat(65_536)], null))
})
