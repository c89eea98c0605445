import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeReadyWorld, writeFiles } from '../adapters/git/git-world.ts'

let world: Awaited<ReturnType<typeof makeReadyWorld>>
beforeEach(async () => {
  world = await makeReadyWorld({ 'src/a.js': 'old\n', 'test/a.js': 'old\n', 'test/b.js': 'b\n', 'test/flat': 'x\n' })
})
afterEach(() => world.close())

/** The tree of the tip with the files of `from`, as git lists it: mode and path. */
async function entriesWith(
  from: string,
  paths: readonly string[],
  files?: readonly { readonly path: string; readonly content: string }[],
): Promise<readonly string[]> {
  await world.userRepository.updateMirror(world.signal)
  const tree = await world.history.treeWith({ base: world.tip, from, paths, ...(files && { files }) })
  const listed = world.gitIn(join(world.state, 'mirror.git'), '-c', 'core.quotePath=true', 'ls-tree', '-r', tree)
  return listed.split('\n').map((line) => line.replace(/ \w+ /, ' ').replace(/^(\d+) (\w{7})\w*\t/, '$1 $2 '))
}

const pathsOf = (entries: readonly string[]) => entries.map((entry) => entry.replace(/ \w{7} /, ' '))

test('is the base’s tree with nothing but the files at those paths', async () => {
  const before = await entriesWith(world.tip, [])
  writeFiles(world.repository, { 'src/a.js': 'new\n', 'test/a.js': 'new\n', 'test/new.js': 'new\n' })
  rmSync(join(world.repository, 'test/b.js'))
  const from = world.commitAll()
  const after = await entriesWith(from, ['test/a.js', 'test/new.js', 'test/b.js', 'test/is not there'])
  expect(pathsOf(after)).toEqual(['100644 src/a.js', ...['100644 test/a.js', '100644 test/flat', '100644 test/new.js']])
  const isSame = (path: string) =>
    before.find((entry) => entry.endsWith(path)) === after.find((entry) => entry.endsWith(path))
  expect([isSame('src/a.js'), isSame('test/a.js'), isSame('test/flat')]).toEqual([true, false, true])
  expect(await entriesWith(from, [])).toEqual(before)
})

test('takes modes, links, folders where a file was, and names of any bytes', async () => {
  const place = (name: string) => join(world.repository, 'test', name)
  chmodSync(place('b.js'), 0o755)
  rmSync(place('a.js'))
  symlinkSync('b.js', place('a.js'))
  renameSync(place('flat'), place('file'))
  writeFiles(world.repository, { 'test/flat/deep.js': 'x\n', 'test/naïve "x"\n.js': 'x\n' })
  writeFileSync(Buffer.concat([Buffer.from(place('x').slice(0, -1)), Buffer.from([0xff, 0x2e, 0x6a, 0x73])]), 'x\n')
  const from = world.commitAll()
  await world.userRepository.updateMirror(world.signal)
  const changed = await world.history.changedFiles(world.tip, from)
  expect(
    pathsOf(
      await entriesWith(
        from,
        changed.map(({ path }) => path),
      ),
    ),
  ).toEqual([
    '100644 src/a.js',
    ...['120000 test/a.js', '100755 test/b.js', '100644 test/file', '100644 test/flat/deep.js'],
    ...['100644 "test/na\\303\\257ve \\"x\\"\\n.js"', '100644 "test/\\377.js"'],
  ])
})

test('takes files that no commit has, in the place of others with their mode', async () => {
  chmodSync(join(world.repository, 'test/b.js'), 0o755)
  const from = world.commitAll()
  const files = [
    { path: 'test/b.js', content: 'made\n' },
    { path: 'test/deep/n"ü.js', content: 'made\n' },
  ]
  const made = await entriesWith(from, ['test/b.js'], files)
  const one = made.find((entry) => entry.endsWith('test/b.js')) ?? ''
  expect(pathsOf(made)).toEqual([
    '100644 src/a.js',
    ...['100644 test/a.js', '100755 test/b.js', '100644 "test/deep/n\\"\\303\\274.js"', '100644 test/flat'],
  ])
  expect(made.filter((entry) => entry.split(' ')[1] === one.split(' ')[1])).toHaveLength(2)
})

test('a commit that is not there is an error', async () => {
  const from = `${'0'.repeat(39)}1`
  await expect(world.history.treeWith({ base: world.tip, from, paths: [] })).rejects.toMatchObject({
    code: 'git_failed',
  })
})

test('no index stays: after a tree is made or failed, nor after a git and its owner were killed', async () => {
  const trees = join(world.state, 'scratch/trees')
  await entriesWith(world.tip, [])
  await expect(world.history.treeWith({ base: 'gone', from: 'gone', paths: [] })).rejects.toThrow()
  expect(readdirSync(trees)).toEqual([])
  mkdirSync(join(trees, 'killed'))
  writeFileSync(join(trees, 'killed/index.lock'), '')
  await world.workTrees.initialize([])
  expect(readdirSync(join(world.state, 'scratch'))).toEqual([])
})
