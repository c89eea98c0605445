import { expect, test } from 'vitest'
import { fileKind } from '../../../src/domain/gate/file-kind.ts'
import { rolesOfChange } from '../../../src/gate/modules/roles-of-change.ts'
import { usesOfTree } from '../../../src/gate/modules/uses-of-tree.ts'
import type { TreeTests } from '../../../src/gate/tests-of-tree.ts'
import { makeMemoryGate } from '../memory-gate.ts'
import { configOf } from '../verifier-world.ts'

type Files = Readonly<Record<string, string>>

/** The roles of a change; `inTests` are files that only tests opened in a trace of the base. */
async function rolesOf(
  base: Files,
  changed: Files,
  { inTests, command = 'x' }: { inTests?: string[]; command?: string } = {},
) {
  const world = makeMemoryGate(base)
  const commit = await world.commitChange(changed)
  const of = (sha: string): TreeTests => ({ commit: sha, tree: sha, status: 'PASS', commands: [], tests: {} })
  const deciding = { untraced: null, withoutTracer: false, files: [], known: [], more: 0 }
  const { by, kinds, likely, comparing } = await rolesOfChange(
    { history: world.history },
    {
      base: { ...of(world.tip), ...(inTests && { deciding: { ...deciding, inTests } }) },
      change: of(commit),
      config: configOf(command),
      files: await world.history.changedFiles(world.tip, commit),
      nameOf: (path) => fileKind(path, { inputs: [], named: new Set() }),
    },
    world.signal,
  )
  return { by, kinds: Object.fromEntries(kinds), likely: [...likely], comparing: [...comparing] }
}

const ruby = { 'lib/a.rb': 'A = 1\n', 'spec/a_spec.rb': "require 'a'\n", 'cases/a.json': '1', 'cases/b.json': '1' }

test('without imports or opened files, names alone decide the role of a file', async () => {
  const none = { by: 'by name', kinds: {}, likely: [], comparing: [] }
  expect(await rolesOf(ruby, { 'cases/a.json': '2' })).toEqual(none)
})

test('data that nobody names is of tests where nothing but tests was seen to open it', async () => {
  const changed = { 'cases/a.json': '2', 'cases/b.json': '2' }
  const { by, kinds } = await rolesOf(ruby, changed, { inTests: ['cases/a.json'] })
  expect([by, kinds]).toEqual(['by use', { 'cases/a.json': 'fixture' }])
})

test('a new file has the role that it has in the change, and an old one that of the base', async () => {
  const base = {
    'package.json': '{ "main": "src/index.js" }',
    'src/index.js': "import './a.js'\n",
    'src/a.js': '',
    'src/testing/old.js': '',
    'src/odd.js': '',
    'test/a.test.js': "import '../src/a.js'\nimport '../src/testing/old.js'\nimport '../src/odd.js'\n",
  }
  const { kinds, likely } = await rolesOf(base, {
    'src/index.js': "import './a.js'\nimport './testing/old.js'\nimport './odd.js'\nimport './fresh.js'\n",
    'src/testing/old.js': '1\n',
    'src/odd.js': '1\n',
    'src/fresh.js': '1\n',
    'src/testing/new.js': '1\n',
    'test/b.test.js': "import '../src/testing/new.js'\nimport '../src/fresh.js'\n",
  })
  expect(kinds).toEqual({ 'src/testing/old.js': 'test', 'src/testing/new.js': 'test' })
  expect(likely).toEqual(['src/odd.js'])
})

test.each([
  ['directly', 'def test_a():\n    assert decode(encode("abc")) == "abc"\n'],
  ['by a variable', 'def test_a():\n    text = "abc"\n    packed = encode(text)\n    assert decode(packed) == text\n'],
])('a file that turns around what a changed source makes is not taken back alone: %s', async (_how, asked) => {
  const base = {
    'app/__main__.py': 'from app.encode import encode\n',
    'app/encode.py': 'def encode(text): pass\n',
    'app/decode.py': 'def decode(text): pass\n',
    'app/blur.py': 'def blur(n): pass\n',
    'app/quiet.py': 'def quiet(ask): pass\n',
    'tests/test_roundtrip.py': `from app.encode import encode\nfrom app.decode import decode\n${asked}`,
    'tests/test_all.py':
      'from app.encode import encode\nfrom app.blur import blur\nfrom app.quiet import quiet\ndef test_b():\n    quiet(lambda: 1)\n    assert blur(encode("a")) == 1\n',
  }
  const changed = Object.fromEntries(
    ['encode', 'decode', 'blur', 'quiet'].map((name) => [`app/${name}.py`, `def ${name}(text): return 1\n`]),
  )
  const { likely } = await rolesOf(base, changed)
  expect(likely.toSorted()).toEqual(['app/blur.py', 'app/quiet.py'])
})

test('a step that compares with changed data is known, also by what its command runs', async () => {
  const base = {
    'src/main.c': 'int main(void) {}\n',
    Makefile: 'check:\n\tdiff expected/a.txt out\n',
    'expected/a.txt': '1',
  }
  const changed = { 'expected/a.txt': '2', 'src/main.c': 'int main(void) { return 1; }\n' }
  const told = { kinds: { 'expected/a.txt': 'fixture' }, comparing: ['test'] }
  expect(await rolesOf(base, changed, { command: 'make check' })).toMatchObject(told)
  expect(await rolesOf(base, changed, { command: './a | diff expected/a.txt -' })).toMatchObject(told)
  expect((await rolesOf(base, changed, { command: 'true' })).comparing).toEqual([])
})

test('a caller that waits for another caller’s read of a tree is not aborted with it', async () => {
  const world = makeMemoryGate({ 'src/a.js': '' })
  const started = Promise.withResolvers<void>()
  let reads = 0
  const history = {
    ...world.history,
    tree: (sha: string) => world.history.tree(sha),
    async texts(...[sha, wanted]: Parameters<typeof world.history.texts>) {
      reads += 1
      started.resolve()
      await new Promise((resolve) => setTimeout(resolve, 5))
      wanted.signal.throwIfAborted()
      return world.history.texts(sha, wanted)
    },
  }
  const other = new AbortController()
  const first = usesOfTree({ history }, world.tip, other.signal)
  await started.promise
  const second = usesOfTree({ history }, world.tip, world.signal)
  other.abort(new Error('of another run'))
  await expect(first).rejects.toThrow('of another run')
  expect((await second)?.graph.modules).toEqual(new Set(['src/a.js']))
  expect(reads).toBe(2)
})
