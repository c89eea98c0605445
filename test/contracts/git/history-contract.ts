import { describe, expect, test } from 'vitest'
import { at, type Files } from './git-world.ts'
import { type Git, readyOf } from './gits.ts'

/** Tests the contract of History for one implementation. */
export function historyContract(git: Git): void {
  const ready = (files?: Files) => readyOf(git, files)

  describe('commit', () => {
    test('is the same for the same input and in every git, by Drydock, and kept by its ref', async () => {
      const { history, commitInMirror, mirrorRefs, tip } = await ready()
      const tree = await history.tree(tip)
      const input = { tree, parents: [tip], message: 'Merge\n\nVerified-By: run_1', ref: 'refs/drydock/merge/1', at }
      const sha = await history.commit(input)
      expect(await history.commit({ ...input, ref: 'refs/drydock/merge/2' })).toBe(sha)
      expect([tip, tree, sha]).toEqual([
        '7e724c5f6cf94f43ef6e8dabbd34cc2060268cea',
        '76e42febe34e4fac3aa1cafc31cec201f0b828e0',
        '5040884c0b6eedbbe506cc37d8efeea6f8f6a0e1',
      ])
      expect(mirrorRefs()).toMatchObject({ 'refs/drydock/merge/1': sha, 'refs/drydock/merge/2': sha })
      const date = '2026-11-03T10:00:00+00:00'
      expect(commitInMirror(sha)).toEqual({
        author: 'Drydock <drydock@localhost>',
        committer: 'Drydock <drydock@localhost>',
        dates: [date, date],
        parents: [tip],
        message: 'Merge\n\nVerified-By: run_1',
      })
    })

    test('has its parents in order, two or none of them too', async () => {
      const { history, commitInMirror, tip, snapshot } = await ready()
      const { sha, tree } = await snapshot()
      const parentsOf = async (parents: readonly string[]) => {
        const made = await history.commit({ tree, parents, message: 'm', ref: 'refs/drydock/merge/1', at })
        return commitInMirror(made).parents
      }
      expect(await parentsOf([sha, tip])).toEqual([sha, tip])
      expect(await parentsOf([tip, sha])).toEqual([tip, sha])
      expect(await parentsOf([])).toEqual([])
    })

    test('has an author who is not Drydock when one is named', async () => {
      const { history, commitInMirror, tip } = await ready()
      const author = { name: 'Zoë', email: 'zoe@localhost' }
      const tree = await history.tree(tip)
      const sha = await history.commit({ tree, parents: [tip], message: 'm', ref: 'refs/drydock/a', at, author })
      expect(commitInMirror(sha)).toMatchObject({
        author: 'Zoë <zoe@localhost>',
        committer: 'Drydock <drydock@localhost>',
      })
    })

    test('is like another one in all but its tree, and kept by its ref', async () => {
      const { history, commitInMirror, mirrorRefs, tip, snapshot } = await ready()
      const { sha: other } = await snapshot()
      const author = { name: 'Zoë', email: 'zoe@localhost' }
      const own = await history.tree(tip)
      const given = { tree: own, parents: [other, tip], message: 'Two\n\nlines', ref: 'refs/drydock/a', at, author }
      const like = await history.commit(given)
      const files = [{ path: 'new.txt', content: 'new\n' }]
      const tree = await history.treeWith({ base: tip, from: tip, paths: [], files })
      const sha = await history.commitLike({ like, tree, ref: 'refs/drydock/b' })
      expect([sha === like, await history.tree(sha), mirrorRefs()['refs/drydock/b']]).toEqual([false, tree, sha])
      expect(commitInMirror(sha)).toEqual(commitInMirror(like))
      expect(await history.commitLike({ like, tree: own, ref: 'refs/drydock/b' })).toBe(like)
      await expect(history.commitLike({ like: tree, tree, ref: 'refs/drydock/b' })).rejects.toThrow()
      await expect(history.commitLike({ like, tree, ref: 'refs/heads/main' })).rejects.toThrow('refs/drydock/')
    })

    test('a ref that is not Drydock’s is refused', async () => {
      const { history, tip } = await ready()
      const tree = await history.tree(tip)
      await expect(history.commit({ tree, parents: [tip], message: 'm', ref: 'refs/heads/main', at })).rejects.toThrow(
        'refs/drydock/',
      )
    })
  })

  test('isAncestor is true of a commit itself and of those that it comes from, and of nothing else', async () => {
    const { history, change, tip } = await ready()
    const sha = await change({ 'README.md': 'two\n' })
    expect(await history.isAncestor(tip, sha)).toBe(true)
    expect(await history.isAncestor(sha, sha)).toBe(true)
    expect(await history.isAncestor(sha, tip)).toBe(false)
    for (const none of ['1'.repeat(40), 'nowhere', '--all', '', await history.tree(tip)])
      expect(await history.isAncestor(none, sha), none).toBe(false)
  })

  test('a commit of the user’s that was not fetched is not here', async () => {
    const { history, userRepository, user, signal, tip } = await ready()
    const later = user.commitAll('later')
    expect(await history.isAncestor(tip, later)).toBe(false)
    await expect(history.diff({ from: tip, to: later, maxBytes: 1_000 })).rejects.toMatchObject({ code: 'not_found' })
    await userRepository.updateMirror(signal)
    expect(await history.isAncestor(tip, later)).toBe(true)
  })

  describe('diff', () => {
    test('is a unified diff of two commits, of one path when asked, below a folder when named', async () => {
      const { history, change, tip } = await ready({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'bin.dat': '\0\n' })
      const sha = await change({ 'a.txt': 'A\n', 'b.txt': 'B\n', 'bin.dat': '\0\0\n' })
      expect(await history.diff({ from: tip, to: sha, maxBytes: 10_000 })).toEqual({
        text: `diff --git a/a.txt b/a.txt
index 7898192..f70f10e 100644
--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-a
+A
diff --git a/b.txt b/b.txt
index 6178079..223b783 100644
--- a/b.txt
+++ b/b.txt
@@ -1 +1 @@
-b
+B
diff --git a/bin.dat b/bin.dat
index 1f2a4f5..bd474b2 100644
Binary files a/bin.dat and b/bin.dat differ
`,
        truncated: false,
      })
      const { text } = await history.diff({ from: tip, to: sha, path: 'b.txt', folder: 'c', maxBytes: 10_000 })
      expect(text).toMatch(/^diff --git a\/c\/b\.txt b\/c\/b\.txt\n.*\n--- a\/c\/b\.txt\n\+\+\+ b\/c\/b\.txt\n@@/)
      expect(text).not.toContain('a.txt')
    })

    test('shows new, removed, renamed, linked and executable files, and names that need quotes', async () => {
      const lines = Array.from({ length: 30 }, (_, i) => `line ${i}\n`)
      const { history, change, tip } = await ready({
        'gone.txt': 'g\n',
        'moved.txt': lines.join(''),
        'script.sh': 'echo\n',
        'to link': 'x',
        'no end': 'a\nb',
        'function.ts': `export function f() {\n${lines.join('')}}\n`,
      })
      const sha = await change({
        'gone.txt': null,
        'new "ü"\n.txt': 'n\n',
        'script.sh': { executable: 'echo\n' },
        empty: '',
        'moved.txt': null,
        'folder/moved.txt': lines.with(3, 'changed\n').join(''),
        'to link': { link: 'new' },
        'no end': 'a\nc',
        'function.ts': `export function f() {\n${lines.with(2, 'X\n').with(20, 'Y\n').join('')}}\n`,
      })
      const { text } = await history.diff({ from: tip, to: sha, maxBytes: 100_000 })
      await expect(text).toMatchFileSnapshot('__snapshots__/history.diff')
    })

    test('is cut at whole lines and says so; an exact fit is not cut', async () => {
      const { history, change, tip } = await ready()
      const sha = await change({ 'README.md': 'ä line\n'.repeat(2_000) })
      const { text, truncated } = await history.diff({ from: tip, to: sha, maxBytes: 1_000 })
      expect(truncated).toBe(true)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_000)
      expect(text.endsWith('+ä line\n')).toBe(true)
      const whole = await history.diff({ from: tip, to: sha, maxBytes: 1_000_000 })
      const maxBytes = Buffer.byteLength(whole.text)
      expect(await history.diff({ from: tip, to: sha, maxBytes })).toEqual({ text: whole.text, truncated: false })
    })

    test('changed files go by their names, renames by the new one and the old, with the lines of each', async () => {
      const { history, change, tip } = await ready({
        'old name.txt': 'some content\n'.repeat(20),
        'old.txt': 'a line\n'.repeat(20),
        x: 'x',
        'b.bin': '\0',
        'src/one.ts': 'one\n'.repeat(9),
        'src/two.ts': 'two\n'.repeat(9),
        'half.txt': 'a\nb\nc\nd\n',
      })
      const sha = await change({
        'old.txt': null,
        'moved.txt': `${'a line\n'.repeat(20)}one more\n`,
        'old name.txt': null,
        'new\nname ü.txt': 'some content\n'.repeat(20),
        x: { link: 'new' },
        'b.bin': '\0\0',
        // Two files with the same content, one of which has kept its name.
        'src/one.ts': null,
        'lib/one.ts': 'one\n'.repeat(9),
        'lib/other.ts': 'one\n'.repeat(9),
        // Too much of the file is new.
        'half.txt': null,
        'other.txt': 'a\nx\ny\nz\n',
      })
      expect(await history.changedFiles(tip, sha)).toEqual([
        { path: 'b.bin', status: 'modified' },
        { path: 'half.txt', status: 'deleted' },
        { path: 'lib/one.ts', status: 'renamed', from: 'src/one.ts' },
        { path: 'lib/other.ts', status: 'added' },
        { path: 'moved.txt', status: 'renamed', from: 'old.txt', edited: true },
        { path: 'new\nname ü.txt', status: 'renamed', from: 'old name.txt' },
        { path: 'other.txt', status: 'added' },
        { path: 'x', status: 'modified' },
      ])
      expect(Object.fromEntries(await history.lineCounts(tip, sha))).toEqual({
        'b.bin': null,
        'half.txt': { added: 0, removed: 4 },
        'lib/one.ts': { added: 0, removed: 0 },
        'lib/other.ts': { added: 9, removed: 0 },
        'moved.txt': { added: 1, removed: 0 },
        'new\nname ü.txt': { added: 0, removed: 0 },
        'other.txt': { added: 4, removed: 0 },
        x: { added: 1, removed: 1 },
      })
    })
  })

  test('the identity and the names of what lies in a commit', async () => {
    const { history, change, tip } = await ready({ 'a/x.txt': 'x', 'a/deep/y': 'y', 'a-b': 'z' })
    const sha = await change({ link: { link: 'a' }, 'a/ü.txt': 'new', 'a/deep-1': '', run: { executable: 'z' } })
    expect(await history.namesIn(tip, 'a')).toEqual(['deep', 'x.txt'])
    expect(await history.namesIn(sha, 'a')).toEqual(['deep-1', 'deep', 'x.txt', 'ü.txt'])
    expect(await history.namesIn(tip, 'link')).toEqual([])
    expect(await history.namesIn(sha, 'link')).toBeNull()
    expect(await history.namesIn(sha, 'a-b')).toBeNull()
    expect(await history.contents(sha, ['a-b', 'a', 'a/', 'link', 'run', 'none', 'a/none', 'a-b/none'])).toEqual({
      'a-b': '100644 blob fa7af8bf5fdd704f73beb3adc5612682a98e1af5',
      a: '040000 tree c8fa28ebd20c022300f45db30e99a373515c2efd',
      'a/': '040000 tree c8fa28ebd20c022300f45db30e99a373515c2efd',
      link: '120000 blob 2e65efe2a145dda7ee51d1741299f848e5bf752e',
      run: '100755 blob fa7af8bf5fdd704f73beb3adc5612682a98e1af5',
      none: null,
      'a/none': null,
      'a-b/none': null,
    })
  })

  test('many files are read at once, within their bounds', async () => {
    const { history, change } = await ready({ 'a/x.js': 'x\n', 'a/ü.js': '', 'b.txt': 'b', 'z.js': 'long' })
    const sha = await change({ 'link.js': { link: 'z.js' }, 'n.js': 'a\0b', 'n\nl.js': 'l\n\n' })
    const bounds = { isWanted: (path: string) => path.endsWith('.js'), files: 10, bytes: 100, fileBytes: 100 }
    const { signal } = new AbortController()
    const all = await history.texts(sha, { ...bounds, signal })
    const paths = ['a/x.js', 'a/ü.js', 'b.txt', 'n\nl.js', 'n.js', 'z.js']
    const texts = { 'a/x.js': 'x\n', 'a/ü.js': '', 'n\nl.js': 'l\n\n', 'z.js': 'long' }
    expect([all.paths, Object.fromEntries(all.texts), all.whole]).toEqual([paths, texts, true])
    for (const [bound, left, whole] of [
      [{ files: 2 }, ['a/x.js', 'a/ü.js'], false],
      [{ bytes: 5 }, ['a/x.js', 'a/ü.js', 'n\nl.js'], false],
      [{ fileBytes: 3 }, ['a/x.js', 'a/ü.js', 'n\nl.js'], true],
    ] as const) {
      const some = await history.texts(sha, { ...bounds, ...bound, signal })
      expect([some.paths, [...some.texts.keys()], some.whole]).toEqual([paths, left, whole])
    }
  })

  test('conflict markers are found in the files that still hold one, in the order they were asked for', async () => {
    const left = (marker: string) => `a\n${marker} branch\nb\n`
    const { history, tip } = await ready({
      'end.txt': left('>>>>>>>'),
      'begin.txt': left('<<<<<<<'),
      'crlf.txt': '<<<<<<< x\r\n',
      'line.txt': 'a\n=======\nb\n',
      'short.txt': '<<<<<<\n <<<<<<< x\n<<<<<<<\n<<<<<<<x\n',
      'fine.txt': 'a\n',
      'unasked.txt': left('<<<<<<<'),
      'folder/in.txt': left('<<<<<<<'),
      '-e': left('<<<<<<<'),
      'n\n*.txt': left('<<<<<<<'),
      'n\nx.txt': 'a\n',
    })
    const paths = [
      'line.txt',
      'n\n*.txt',
      'n\nx.txt',
      'end.txt',
      'begin.txt',
      'crlf.txt',
      'short.txt',
      'fine.txt',
      '-e',
    ]
    expect(await history.conflictMarkers(tip, [...paths, 'folder', 'nowhere'])).toEqual([
      'n\n*.txt',
      'end.txt',
      'begin.txt',
      'crlf.txt',
      '-e',
    ])
    expect(await history.conflictMarkers(tip, ['fine.txt'])).toEqual([])
    expect(await history.conflictMarkers(tip, [])).toEqual([])
  })

  test('pointers to Git LFS are counted in a commit whose attributes speak of LFS', async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n'
    const { history, change, tip } = await ready({ 'a.bin': pointer, 'b/c ü.bin': pointer })
    expect(await history.lfsPointers(tip)).toBe(0)
    const guide = `A pointer starts with:\n  ${pointer}`
    const sha = await change({ 'b/.gitattributes': '*.bin filter=lfs -text\n', 'guide.md': guide, 'd.bin': 'plain' })
    expect(await history.lfsPointers(sha)).toBe(2)
  })

  test('a missing commit is an error', async () => {
    const { history, tip } = await ready()
    const none = `${'0'.repeat(39)}1`
    const failed = { code: 'git_failed' }
    await expect(history.tree(none)).rejects.toMatchObject(failed)
    await expect(history.changedFiles(tip, none)).rejects.toMatchObject(failed)
    await expect(history.namesIn(none, 'a')).rejects.toMatchObject(failed)
    await expect(history.contents(none, ['a'])).rejects.toMatchObject(failed)
    await expect(history.merge({ ours: tip, theirs: none })).rejects.toThrow()
    await expect(history.treeWith({ base: tip, from: none, paths: [] })).rejects.toMatchObject(failed)
  })
}
