import { rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { at, writeFiles } from '../adapters/git/git-world.ts'
import { ready, taken } from './made-world.ts'

describe('commit', () => {
  test('is the same for the same input, by Drydock, and kept by its ref', async () => {
    const { history, gitIn, state, tip } = await ready()
    const tree = await history.tree(tip)
    const input = { tree, parents: [tip], message: 'Merge\n\nVerified-By: run_1', ref: 'refs/drydock/merge/1', at }
    const sha = await history.commit(input)
    expect(await history.commit({ ...input, ref: 'refs/drydock/merge/2' })).toBe(sha)
    expect(
      gitIn(
        join(state, 'mirror.git'),
        'show',
        '--no-patch',
        '--format=%an %ae %aI %cn %ce %cI %P%n%B',
        'refs/drydock/merge/1',
      ),
    ).toBe(
      `Drydock drydock@localhost 2026-11-03T10:00:00+00:00 Drydock drydock@localhost 2026-11-03T10:00:00+00:00 ${tip}\nMerge\n\nVerified-By: run_1`,
    )
  })

  test('has its parents in order, also two of them or none', async () => {
    const { history, gitIn, state, tip, snapshot } = await ready()
    const { sha, tree } = await taken(snapshot())
    const parentsOf = async (parents: readonly string[]) => {
      const made = await history.commit({ tree, parents, message: 'm', ref: 'refs/drydock/merge/1', at })
      return gitIn(join(state, 'mirror.git'), 'show', '--no-patch', '--format=%P', made)
    }
    expect(await parentsOf([sha, tip])).toBe(`${sha} ${tip}`)
    expect(await parentsOf([tip, sha])).toBe(`${tip} ${sha}`)
    expect(await parentsOf([])).toBe('')
  })

  test('a ref that is not Drydock’s is refused', async () => {
    const { history, tip } = await ready()
    const tree = await history.tree(tip)
    await expect(history.commit({ tree, parents: [tip], message: 'm', ref: 'refs/heads/main', at })).rejects.toThrow(
      'refs/drydock/',
    )
  })
})

describe('isAncestor', () => {
  test('is true of a commit itself and of what it comes from, and of nothing else', async () => {
    const { history, workspace, snapshot, tip } = await ready()
    writeFiles(workspace, { 'README.md': 'two\n' })
    const { sha } = await taken(snapshot())
    expect(await history.isAncestor(tip, sha)).toBe(true)
    expect(await history.isAncestor(sha, sha)).toBe(true)
    expect(await history.isAncestor(sha, tip)).toBe(false)
    for (const none of ['1'.repeat(40), 'nowhere', '--all', '', await history.tree(tip)])
      expect(await history.isAncestor(none, sha), none).toBe(false)
  })

  test('a mirror that cannot be read is an error', async () => {
    const { history, tip, state } = await ready()
    rmSync(join(state, 'mirror.git'), { recursive: true })
    await expect(history.isAncestor(tip, tip)).rejects.toMatchObject({ code: 'git_failed' })
  })
})

describe('diff', () => {
  test('is a unified diff of two commits, of one path when asked', async () => {
    const { history, workspace, snapshot, tip } = await ready({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'bin.dat': '\0\n' })
    writeFiles(workspace, { 'a.txt': 'A\n', 'b.txt': 'B\n', 'bin.dat': '\0\0\n' })
    const { sha } = await taken(snapshot())
    const { text, truncated } = await history.diff({ from: tip, to: sha, maxBytes: 10_000 })
    expect(truncated).toBe(false)
    expect(text).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+A\n')
    expect(text).toContain('Binary files a/bin.dat and b/bin.dat differ\n')
    const { text: one } = await history.diff({ from: tip, to: sha, path: 'b.txt', maxBytes: 10_000 })
    expect(one).toMatch(/^diff --git a\/b\.txt b\/b\.txt\n/)
    expect(one).not.toContain('a.txt')
  })

  test('is cut at whole lines and says so', async () => {
    const { history, workspace, snapshot, tip } = await ready()
    writeFiles(workspace, { 'README.md': 'ä line\n'.repeat(500_000) })
    const { sha } = await taken(snapshot())
    const { text, truncated } = await history.diff({ from: tip, to: sha, maxBytes: 1_000 })
    expect(truncated).toBe(true)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_000)
    expect(text.endsWith('+ä line\n')).toBe(true)
  })

  test('an exact fit is not truncated', async () => {
    const { history, workspace, snapshot, tip } = await ready()
    writeFiles(workspace, { 'README.md': 'two\n' })
    const { sha } = await taken(snapshot())
    const { text } = await history.diff({ from: tip, to: sha, maxBytes: 10_000 })
    expect(await history.diff({ from: tip, to: sha, maxBytes: Buffer.byteLength(text) })).toEqual({
      text,
      truncated: false,
    })
  })

  test('changed files go by their names, renames by the new one and the old', async () => {
    const { history, workspace, snapshot, tip } = await ready({
      'old name.txt': 'some content\n'.repeat(20),
      'old.txt': 'a line\n'.repeat(20),
      x: 'x',
    })
    unlinkSync(join(workspace, 'old.txt'))
    writeFiles(workspace, { 'moved.txt': `${'a line\n'.repeat(20)}one more\n` })
    unlinkSync(join(workspace, 'old name.txt'))
    writeFiles(workspace, { 'new\nname ü.txt': 'some content\n'.repeat(20) })
    rmSync(join(workspace, 'x'))
    symlinkSync('new', join(workspace, 'x'))
    const { sha } = await taken(snapshot())
    expect(await history.changedFiles(tip, sha)).toEqual([
      { path: 'moved.txt', status: 'renamed', from: 'old.txt', edited: true },
      { path: 'new\nname ü.txt', status: 'renamed', from: 'old name.txt' },
      { path: 'x', status: 'modified' },
    ])
  })
})

describe('names in a folder', () => {
  test('are those of the commit; what is there and no folder has none to give', async () => {
    const { history, workspace, snapshot, tip } = await ready({ 'a/x.txt': 'x', 'a/deep/y': 'y', 'a-b': 'z' })
    symlinkSync('a', join(workspace, 'link'))
    writeFiles(workspace, { 'a/ü.txt': 'new' })
    const { sha } = await taken(snapshot())
    expect(await history.namesIn(tip, 'a')).toEqual(['deep', 'x.txt'])
    expect(await history.namesIn(sha, 'a')).toEqual(['deep', 'x.txt', 'ü.txt'])
    expect(await history.namesIn(tip, 'link')).toEqual([])
    expect(await history.namesIn(sha, 'link')).toBeNull()
    expect(await history.namesIn(sha, 'a-b')).toBeNull()
  })
})
