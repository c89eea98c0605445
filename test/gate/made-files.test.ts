import { expect, test } from 'vitest'
import type { Program } from '../world/sandbox.ts'
import { makeMemoryGate } from './memory-gate.ts'

const tap: Program = () => ({ exitCode: 0, output: 'TAP version 13\nok 1 - adds\n1..1\n' })
/** Each line of `src/build.txt` is a file that the build writes. */
const build: Program = (seen) => {
  for (const line of (seen.read('src/build.txt') ?? '').split('\n').filter(Boolean)) {
    const [path = '', content = 'made'] = line.split(' = ')
    if (path === 'fail') return 1
    seen.write(path, content)
  }
  return 0
}
const steps = [
  { name: 'build', command: 'build' },
  { name: 'test', command: 'runner' },
]
const files = {
  'package.json': '{ "name": "area" }\n',
  'src/area.js': 'export const area = (side) => side * side\n',
  'src/build.txt': 'dist/package.json = 1\n',
  'test/area.test.js': '// adds\n',
  'web/readme.txt': 'a page\n',
}
const world = makeMemoryGate(files, { build, runner: tap })

interface Row {
  readonly builds: string
  readonly base?: Readonly<Record<string, string>>
  readonly change?: Readonly<Record<string, string>>
}

async function findingsOf({ builds, base = {}, change = {} }: Row) {
  const before = world.commitOf(base)
  const commit = world.commitOf({ 'src/build.txt': builds, ...change }, before)
  const asked = { steps, purpose: 'change', refactor: true, writes: 'overlay', assurance: 'fast' } as const
  const { status, manifest, tail_log } = await world.ask({ ...asked, base: before, commit })
  expect([status, status === 'PASS' ? '' : tail_log]).toEqual(['PASS', ''])
  const found = manifest?.integrity?.findings ?? []
  return found.filter(({ kind }) => kind === 'rewritten_in_step')
}

test.each([
  'vitest.config.ts',
  'jest.config.js',
  'test/conftest.py',
  'conftest.py',
  '.npmrc',
  'sitecustomize.py',
  'random.py',
  'test/package.json',
  'src/tsconfig.json',
  '.eslintrc.json',
  '.prettierignore',
  'node_modules/vitest/index.js',
  'lib/site-packages/late.pth',
  '.mocharc.yml',
  'AGENTS.md',
  'src/.eslintcache',
  '__mocks__/fs.js',
])('a build that writes %s, which no commit has, is told', async (path) => {
  const found = await findingsOf({ builds: `dist/package.json = 1\n${path}\n` })
  const named = path.replace(/^(node_modules\/vitest|lib\/site-packages\/late\.pth)\/.*/, '$1')
  expect(found).toMatchObject([
    {
      file: named,
      claim: `The step build writes what no commit has, and the base commit’s does not: ${named}. Commit it, or write it elsewhere.`,
    },
  ])
  expect(found[0]?.evidence).toMatch(/decides about \w+/)
})

test.each<[string, Row]>([
  ['ordinary files', { builds: 'dist/index.js\ndist/data.json\nsrc/made.ts\ntest/out.txt\n' }],
  ['what the base’s build writes too, with another content', { builds: 'dist/package.json = 2\n' }],
  [
    'more of what a tool keeps in a folder of its own',
    {
      base: { 'src/build.txt': 'node_modules/.cache/a\n.mypy_cache/3.12/a.json\n' },
      builds: 'node_modules/.cache/b\n.mypy_cache/3.12/b.json\n',
    },
  ],
  [
    'the outputs of a package that the change adds',
    {
      builds: 'packages/new/dist/package.json\npackages/new/tsconfig.tsbuildinfo\n',
      change: { 'packages/new/src/index.js': 'export const one = 1\n' },
    },
  ],
  [
    'the outputs of a build that failed before',
    { base: { 'src/build.txt': 'fail\n' }, builds: 'web/package.json\nnode_modules/.vite/x.json\n' },
  ],
])('a build that writes %s is told nothing of', async (_what, row) => {
  expect(await findingsOf(row)).toEqual([])
})

test.each<[string, Row, string]>([
  [
    'beside the same tool’s cache',
    { base: { 'src/build.txt': 'node_modules/.cache/a\n' }, builds: 'node_modules/left/index.js\n' },
    'node_modules/left',
  ],
  [
    'in a folder that only the change has, if it is more than an output',
    { builds: 'packages/new/conftest.py\n', change: { 'packages/new/a.py': 'one = 1\n' } },
    'packages/new/conftest.py',
  ],
  [
    'where the build failed before, if it is more than an output',
    { base: { 'src/build.txt': 'fail\n' }, builds: 'conftest.py\n' },
    'conftest.py',
  ],
])('a file that decides is told %s', async (_where, row, path) => {
  expect((await findingsOf(row)).map(({ file }) => file)).toEqual([path])
})
