import { expect, test } from 'vitest'
import type { Files } from './git-world.ts'
import { type Git, readyOf } from './gits.ts'

const given: Files = { 'src/a.js': 'old\n', 'test/a.js': 'old\n', 'test/b.js': 'b\n', 'test/flat': 'x\n' }

/** Tests of History.treeWith, for one implementation. */
export function treeWithContract(git: Git): void {
  test('is the base’s tree with nothing but the files at those paths', async () => {
    const { history, change, files, tip } = await readyOf(git, given)
    const from = await change({ 'src/a.js': 'new\n', 'test/a.js': 'new\n', 'test/new.js': 'new\n', 'test/b.js': null })
    const paths = ['test/a.js', 'test/new.js', 'test/b.js', 'test/is not there']
    expect(files(await history.treeWith({ base: tip, from, paths }))).toEqual({
      'src/a.js': 'old\n',
      'test/a.js': 'new\n',
      'test/flat': 'x\n',
      'test/new.js': 'new\n',
    })
    expect(await history.treeWith({ base: tip, from, paths: [] })).toBe(await history.tree(tip))
  })

  test('takes modes, links, folders where a file was, and any names', async () => {
    const { history, change, files, tip } = await readyOf(git, given)
    const from = await change({
      'test/b.js': { executable: 'b\n' },
      'test/a.js': { link: 'b.js' },
      'test/flat': null,
      'test/file': 'x\n',
    })
    const next = await change({ 'test/flat/deep.js': 'x\n', 'test/naïve "x"\n.js': 'x\n' })
    const paths = (await history.changedFiles(tip, next)).map(({ path }) => path)
    expect(from).not.toBe(next)
    expect(files(await history.treeWith({ base: tip, from: next, paths: [...paths, 'test/flat'] }))).toEqual({
      'src/a.js': 'old\n',
      'test/a.js': { link: 'b.js' },
      'test/b.js': { executable: 'b\n' },
      'test/file': 'x\n',
      'test/flat/deep.js': 'x\n',
      'test/naïve "x"\n.js': 'x\n',
    })
  })

  test('leaves out files, also those that it would take', async () => {
    const { history, change, files, tip } = await readyOf(git, given)
    const from = await change({ 'test/a.js': 'new\n', 'test/b.js': 'new\n' })
    const without = ['test/a.js', 'test/flat', 'test/is not there']
    expect(files(await history.treeWith({ base: tip, from, paths: ['test/a.js', 'test/b.js'], without }))).toEqual({
      'src/a.js': 'old\n',
      'test/b.js': 'new\n',
    })
  })

  test('takes files that no commit has, in the place of others with their mode', async () => {
    const { history, change, files, tip } = await readyOf(git, given)
    const from = await change({ 'test/b.js': { executable: 'b\n' } })
    const made = await history.treeWith({
      base: tip,
      from,
      paths: ['test/b.js'],
      files: [
        { path: 'test/b.js', content: 'made\n' },
        { path: 'test/deep/n"ü.js', content: Buffer.from('made\n') },
      ],
    })
    expect(files(made)).toEqual({
      'src/a.js': 'old\n',
      'test/a.js': 'old\n',
      'test/b.js': { executable: 'made\n' },
      'test/deep/n"ü.js': 'made\n',
      'test/flat': 'x\n',
    })
  })

  test('has no folder without a file, however deep', async () => {
    const { history, change, tip } = await readyOf(git, { ...given, 'a/b/c/f': 'f\n', 'a/d/e/f': 'f\n' })
    const one = await change({ 'a/b/c/f': null })
    const none = await change({ 'a/d/e/f': null })
    const all = await change({ 'src/a.js': null, 'test/a.js': null, 'test/b.js': null, 'test/flat': null })
    const paths = ['a/b/c/f', 'a/d/e/f', ...Object.keys(given)]
    for (const from of [one, none, all])
      expect(await history.treeWith({ base: tip, from, paths })).toBe(await history.tree(from))
  })

  test('takes no name that git takes for no file of a tree', async () => {
    const { history, tip } = await readyOf(git, given)
    for (const path of [
      '/src/a.js',
      'src/../a.js',
      '..',
      './a.js',
      'src//a.js',
      'src/',
      '',
      '.git/config',
      'src/.GIT',
    ]) {
      const refused = { code: 'git_failed', message: expect.stringContaining(`invalid path ${JSON.stringify(path)}`) }
      for (const more of [{ files: [{ path, content: 'x\n' }] }, { paths: [path] }, { without: [path] }])
        await expect(history.treeWith({ base: tip, from: tip, paths: [], ...more })).rejects.toMatchObject(refused)
    }
  })
}
