import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createGitWorkspaces } from '../../src/adapters/git/workspaces.ts'
import { at, identity, listing, makeReadyWorld, makeWorld, type World, writeFiles } from '../adapters/git/git-world.ts'

const worlds: World[] = []
afterEach(() => {
  for (const world of worlds.splice(0)) world.close()
})
const world = (...args: Parameters<typeof makeWorld>) => {
  const made = makeWorld(...args)
  worlds.push(made)
  return made
}
const ready = async (...args: Parameters<typeof makeReadyWorld>) => {
  const made = await makeReadyWorld(...args)
  worlds.push(made)
  return made
}
const taken = async (result: ReturnType<Awaited<ReturnType<typeof ready>>['snapshot']>) => {
  const made = await result
  if (!made.ok) throw new Error(made.reason)
  return made.snapshot
}

describe('initialize', () => {
  test('makes the mirror and an empty directory for each slot', async () => {
    const { workspaces, state } = world()
    await workspaces.initialize(['coder-001', 'coder-002'])
    expect(readdirSync(join(state, 'workspaces'))).toEqual(['coder-001', 'coder-002'])
    expect(listing(workspaces.path('coder-001'))).toEqual({})
    expect(readFileSync(join(state, 'mirror.git', 'HEAD'), 'utf8')).toMatch(/^ref: /)
  })

  test('leaves what exists as it is, with the same inodes', async () => {
    const { workspaces, state, workspace, signal, tip } = await ready()
    const inodes = () => [workspace, join(state, 'mirror.git')].map((path) => statSync(path).ino)
    const before = inodes()
    await workspaces.initialize(['coder-001', 'coder-002'])
    expect(inodes()).toEqual(before)
    expect(readFileSync(join(workspace, 'README.md'), 'utf8')).toBe('one\n')
    await workspaces.prepare({ slot: 'coder-002', tip }, signal)
  })

  test('may be called by two at once', async () => {
    const { workspaces, repository, state, environment, signal } = world()
    const other = createGitWorkspaces({ repository, state, environment })
    await Promise.all([workspaces.initialize(['coder-001']), other.initialize(['coder-001', 'coder-002'])])
    await Promise.all([workspaces.updateMirror(signal), other.updateMirror(signal)])
    const { sha: tip } = await other.target(null)
    await other.prepare({ slot: 'coder-002', tip }, signal)
    expect(readFileSync(join(other.path('coder-002'), 'README.md'), 'utf8')).toBe('one\n')
  })
})

describe('target', () => {
  test('is the branch that is checked out', async () => {
    const { workspaces, git } = world()
    expect(await workspaces.target(null)).toEqual({ branch: 'main', sha: git('rev-parse', 'HEAD') })
  })

  test('has no branch when HEAD is detached, and its commit can still be prepared', async () => {
    const { workspaces, git, commitAll, signal } = world()
    git('checkout', '--quiet', '--detach')
    const sha = commitAll('only on a detached HEAD')
    await workspaces.initialize(['coder-001'])
    expect(await workspaces.target(null)).toEqual({ branch: null, sha })
    await workspaces.prepare({ slot: 'coder-001', tip: sha }, signal)
  })

  test('is a branch, a tag or a commit by name', async () => {
    const { workspaces, git } = world()
    git('branch', 'feature/x')
    git('tag', '--annotate', '--message=v1', 'v1')
    const sha = git('rev-parse', 'HEAD')
    expect(await workspaces.target('feature/x')).toEqual({ branch: 'feature/x', sha })
    expect(await workspaces.target('v1')).toEqual({ branch: null, sha })
    expect(await workspaces.target('main~0')).toEqual({ branch: null, sha })
    expect(await workspaces.target(sha.slice(0, 10))).toEqual({ branch: null, sha })
  })

  test('a name that is unknown or an option is an error with something to do', async () => {
    const { workspaces } = world()
    for (const name of ['nowhere', '--all', ''])
      await expect(workspaces.target(name)).rejects.toMatchObject({
        code: 'unknown_revision',
        todo: expect.stringMatching(/./),
      })
  })

  test('a repository without commits is an error with the command to run', async () => {
    const { workspaces } = world({})
    for (const name of [null, 'main'])
      await expect(workspaces.target(name)).rejects.toMatchObject({
        code: 'no_commits',
        todo: expect.stringContaining('git commit'),
      })
  })
})

describe('updateMirror', () => {
  test('follows heads and tags, also deleted and renamed ones, and keeps what Drydock keeps', async () => {
    const { workspaces, git, state, signal, gitIn, tip, snapshot } = await ready()
    await taken(snapshot('refs/drydock/kept'))
    git('branch', 'topic')
    git('tag', 'v1')
    await workspaces.updateMirror(signal)
    git('branch', '--delete', 'topic')
    git('branch', 'topic/deeper')
    await workspaces.updateMirror(signal)
    const refs = gitIn(join(state, 'mirror.git'), 'for-each-ref', '--format=%(refname)').split('\n')
    expect(refs).toEqual([
      'refs/drydock/kept',
      'refs/heads/main',
      'refs/heads/topic/deeper',
      'refs/tags/v1',
      'refs/user/HEAD',
    ])
    expect(await workspaces.tree(tip)).toBe(git('rev-parse', 'HEAD^{tree}'))
  })

  test('follows a branch that was rewritten', async () => {
    const { workspaces, git, signal } = await ready()
    git('commit', '--quiet', '--amend', '--message', 'other')
    await workspaces.updateMirror(signal)
    await workspaces.prepare({ slot: 'coder-001', tip: git('rev-parse', 'HEAD') }, signal)
  })

  test('follows a change of nothing but a tag, a branch or HEAD', async () => {
    const { workspaces, git, state, signal, gitIn, tip } = await ready()
    const refs = () => gitIn(join(state, 'mirror.git'), 'for-each-ref', '--format=%(refname) %(objectname)').split('\n')
    const commit = git('commit-tree', `${tip}^{tree}`, '-p', tip, '-m', 'aside')
    git('tag', 'v1')
    await workspaces.updateMirror(signal)
    expect(refs()).toEqual([`refs/heads/main ${tip}`, `refs/tags/v1 ${tip}`, `refs/user/HEAD ${tip}`])
    git('tag', '--force', 'v1', commit)
    await workspaces.updateMirror(signal)
    expect(refs()).toEqual([`refs/heads/main ${tip}`, `refs/tags/v1 ${commit}`, `refs/user/HEAD ${tip}`])
    git('tag', '--delete', 'v1')
    await workspaces.updateMirror(signal)
    expect(refs()).toEqual([`refs/heads/main ${tip}`, `refs/user/HEAD ${tip}`])
    git('checkout', '--quiet', commit)
    await workspaces.updateMirror(signal)
    expect(refs()).toEqual([`refs/heads/main ${tip}`, `refs/user/HEAD ${commit}`])
    git('update-ref', 'refs/heads/main', commit)
    await workspaces.updateMirror(signal)
    expect(refs()).toEqual([`refs/heads/main ${commit}`, `refs/user/HEAD ${commit}`])
  })

  test('an empty repository is no error', async () => {
    const { workspaces, signal } = world({})
    await workspaces.initialize([])
    await workspaces.updateMirror(signal)
  })

  test('an aborted update rejects with the reason and leaves nothing locked', async () => {
    const { workspaces, signal } = world()
    await workspaces.initialize([])
    const reason = new Error('stop')
    await expect(workspaces.updateMirror(AbortSignal.abort(reason))).rejects.toBe(reason)
    await workspaces.updateMirror(signal)
  })
})

describe('reading the user’s repository', () => {
  test('a file of a commit, cut at the limit, null where there is none', async () => {
    const { workspaces, repository, commitAll } = world({ 'a/b.txt': 'hello', 'a/*.txt': 'star' })
    symlinkSync('a/b.txt', join(repository, 'link'))
    const sha = commitAll()
    expect(await workspaces.fileAt(sha, 'a/b.txt', 100)).toBe('hello')
    expect(await workspaces.fileAt(sha, 'a/b.txt', 3)).toBe('hel')
    expect(await workspaces.fileAt(sha, 'a/*.txt', 100)).toBe('star')
    expect(await workspaces.fileAt(sha, 'a', 100)).toBeNull()
    expect(await workspaces.fileAt(sha, 'link', 100)).toBeNull()
    expect(await workspaces.fileAt(sha, 'nothing', 100)).toBeNull()
  })

  test('the branches with a prefix', async () => {
    const { workspaces, git } = world()
    for (const name of ['drydock/a', 'drydock/a-2', 'drydock/b', 'other']) git('branch', name)
    expect(await workspaces.branches('drydock/a')).toEqual(['drydock/a', 'drydock/a-2'])
  })
})

describe('snapshot', () => {
  test('keeps edits, new files, deletions and modes, and leaves out what is ignored', async () => {
    const { workspaces, workspace, snapshot, tip } = await ready({
      '.gitignore': 'out/\n',
      'edit.txt': 'a\n',
      'gone.txt': 'b\n',
      'kept.txt': 'c\n',
    })
    writeFiles(workspace, {
      'edit.txt': 'changed\n',
      'new/x.txt': 'new\n',
      'out/x': 'ignored',
      'agent/context_001.md': 'ours',
    })
    writeFiles(workspace, { 'agent/mine.md': 'theirs' })
    unlinkSync(join(workspace, 'gone.txt'))
    const { sha } = await taken(snapshot())
    expect(await workspaces.changedFiles(tip, sha)).toEqual([
      { path: 'agent/mine.md', status: 'added' },
      { path: 'edit.txt', status: 'modified' },
      { path: 'gone.txt', status: 'deleted' },
      { path: 'new/x.txt', status: 'added' },
    ])
  })

  test('the same tree on the same parent is the same snapshot, whatever the time', async () => {
    const { workspaces, workspace, snapshot, state, gitIn, tip, signal } = await ready()
    writeFiles(workspace, { 'README.md': 'two\n' })
    const first = await taken(snapshot('refs/drydock/a'))
    const later = { slot: 'coder-001', parents: [tip], message: 'another', at: new Date(at.getTime() + 5_000) }
    const again = await workspaces.snapshot({ ...later, ref: 'refs/drydock/a', last: null }, signal)
    const elsewhere = await workspaces.snapshot({ ...later, ref: 'refs/drydock/b', last: first.sha }, signal)
    expect([again, elsewhere]).toEqual([
      { ok: true, snapshot: first },
      { ok: true, snapshot: first },
    ])
    expect(gitIn(join(state, 'mirror.git'), 'rev-parse', 'refs/drydock/b')).toBe(first.sha)
  })

  test('another parent makes another snapshot of the same tree', async () => {
    const { commitAll, workspaces, snapshot, signal } = await ready()
    const first = await taken(snapshot('refs/drydock/a'))
    const parent = commitAll('empty')
    await workspaces.updateMirror(signal)
    const second = await taken(snapshot('refs/drydock/a', first.sha, parent))
    expect(second.tree).toBe(first.tree)
    expect(second.sha).not.toBe(first.sha)
  })

  test('a file counts as tracked when the parent has it, even if it is ignored and was deleted for a while', async () => {
    const { workspaces, workspace, snapshot, tip, git, commitAll, signal } = await ready({ '.gitignore': '*.log\n' })
    writeFiles(join(workspace, '..', '..', '..', 'my répo'), { 'kept.log': 'a\n' })
    git('add', '--force', 'kept.log')
    const parent = commitAll()
    expect(parent).not.toBe(tip)
    await workspaces.updateMirror(signal)
    await workspaces.prepare({ slot: 'coder-001', tip: parent }, signal)
    unlinkSync(join(workspace, 'kept.log'))
    const without = await taken(snapshot('refs/drydock/a', null, parent))
    writeFiles(workspace, { 'kept.log': 'back\n', 'new.log': 'ignored\n' })
    const again = await taken(snapshot('refs/drydock/a', null, parent))
    expect(await workspaces.changedFiles(parent, without.sha)).toEqual([{ path: 'kept.log', status: 'deleted' }])
    expect(await workspaces.changedFiles(parent, again.sha)).toEqual([{ path: 'kept.log', status: 'modified' }])
  })

  test('a file that was in an earlier snapshot and is now ignored is out', async () => {
    const { workspaces, workspace, snapshot, tip } = await ready()
    writeFiles(workspace, { 'build.out': 'x' })
    await taken(snapshot())
    writeFiles(workspace, { '.gitignore': '*.out\n' })
    const { sha } = await taken(snapshot())
    expect(await workspaces.changedFiles(tip, sha)).toEqual([{ path: '.gitignore', status: 'added' }])
  })

  test('a slot that was never prepared can be kept too', async () => {
    const { workspaces, git, signal } = world()
    await workspaces.initialize(['coder-001'])
    const { sha: parent } = await workspaces.target(null)
    writeFiles(workspaces.path('coder-001'), { 'README.md': 'one\n' })
    const input = { slot: 'coder-001', parents: [parent], ref: 'refs/drydock/a', last: null, message: 'm', at }
    expect(await workspaces.snapshot(input, signal)).toMatchObject({
      ok: true,
      snapshot: { tree: git('rev-parse', 'HEAD^{tree}') },
    })
  })
})

describe('commit', () => {
  test('is the same for the same input, by Drydock, and kept by its ref', async () => {
    const { workspaces, gitIn, state, tip } = await ready()
    const tree = await workspaces.tree(tip)
    const input = { tree, parents: [tip], message: 'Merge\n\nVerified-By: run_1', ref: 'refs/drydock/merge/1', at }
    const sha = await workspaces.commit(input)
    expect(await workspaces.commit({ ...input, ref: 'refs/drydock/merge/2' })).toBe(sha)
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
    const { workspaces, gitIn, state, tip, snapshot } = await ready()
    const { sha, tree } = await taken(snapshot())
    const parentsOf = async (parents: readonly string[]) => {
      const made = await workspaces.commit({ tree, parents, message: 'm', ref: 'refs/drydock/merge/1', at })
      return gitIn(join(state, 'mirror.git'), 'show', '--no-patch', '--format=%P', made)
    }
    expect(await parentsOf([sha, tip])).toBe(`${sha} ${tip}`)
    expect(await parentsOf([tip, sha])).toBe(`${tip} ${sha}`)
    expect(await parentsOf([])).toBe('')
  })

  test('a ref that is not Drydock’s is refused', async () => {
    const { workspaces, tip } = await ready()
    const tree = await workspaces.tree(tip)
    await expect(workspaces.commit({ tree, parents: [tip], message: 'm', ref: 'refs/heads/main', at })).rejects.toThrow(
      'refs/drydock/',
    )
  })
})

describe('isAncestor', () => {
  test('is true of a commit itself and of what it comes from, and of nothing else', async () => {
    const { workspaces, workspace, snapshot, tip } = await ready()
    writeFiles(workspace, { 'README.md': 'two\n' })
    const { sha } = await taken(snapshot())
    expect(await workspaces.isAncestor(tip, sha)).toBe(true)
    expect(await workspaces.isAncestor(sha, sha)).toBe(true)
    expect(await workspaces.isAncestor(sha, tip)).toBe(false)
    for (const none of ['1'.repeat(40), 'nowhere', '--all', '', await workspaces.tree(tip)])
      expect(await workspaces.isAncestor(none, sha), none).toBe(false)
  })

  test('a mirror that cannot be read is an error', async () => {
    const { workspaces, tip, state } = await ready()
    rmSync(join(state, 'mirror.git'), { recursive: true })
    await expect(workspaces.isAncestor(tip, tip)).rejects.toMatchObject({ code: 'git_failed' })
  })
})

describe('diff', () => {
  test('is a unified diff of two commits, of one path when asked', async () => {
    const { workspaces, workspace, snapshot, tip } = await ready({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'bin.dat': '\0\n' })
    writeFiles(workspace, { 'a.txt': 'A\n', 'b.txt': 'B\n', 'bin.dat': '\0\0\n' })
    const { sha } = await taken(snapshot())
    const { text, truncated } = await workspaces.diff({ from: tip, to: sha, maxBytes: 10_000 })
    expect(truncated).toBe(false)
    expect(text).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+A\n')
    expect(text).toContain('Binary files a/bin.dat and b/bin.dat differ\n')
    const { text: one } = await workspaces.diff({ from: tip, to: sha, path: 'b.txt', maxBytes: 10_000 })
    expect(one).toMatch(/^diff --git a\/b\.txt b\/b\.txt\n/)
    expect(one).not.toContain('a.txt')
  })

  test('is cut at whole lines and says so', async () => {
    const { workspaces, workspace, snapshot, tip } = await ready()
    writeFiles(workspace, { 'README.md': 'ä line\n'.repeat(500_000) })
    const { sha } = await taken(snapshot())
    const { text, truncated } = await workspaces.diff({ from: tip, to: sha, maxBytes: 1_000 })
    expect(truncated).toBe(true)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1_000)
    expect(text.endsWith('+ä line\n')).toBe(true)
  })

  test('an exact fit is not truncated', async () => {
    const { workspaces, workspace, snapshot, tip } = await ready()
    writeFiles(workspace, { 'README.md': 'two\n' })
    const { sha } = await taken(snapshot())
    const { text } = await workspaces.diff({ from: tip, to: sha, maxBytes: 10_000 })
    expect(await workspaces.diff({ from: tip, to: sha, maxBytes: Buffer.byteLength(text) })).toEqual({
      text,
      truncated: false,
    })
  })

  test('changed files go by their names, renames by the new one and the old', async () => {
    const { workspaces, workspace, snapshot, tip } = await ready({
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
    expect(await workspaces.changedFiles(tip, sha)).toEqual([
      { path: 'moved.txt', status: 'renamed', from: 'old.txt', edited: true },
      { path: 'new\nname ü.txt', status: 'renamed', from: 'old name.txt' },
      { path: 'x', status: 'modified' },
    ])
  })
})

describe('names in a folder', () => {
  test('are those of the commit; what is there and no folder has none to give', async () => {
    const { workspaces, workspace, snapshot, tip } = await ready({ 'a/x.txt': 'x', 'a/deep/y': 'y', 'a-b': 'z' })
    symlinkSync('a', join(workspace, 'link'))
    writeFiles(workspace, { 'a/ü.txt': 'new' })
    const { sha } = await taken(snapshot())
    expect(await workspaces.namesIn(tip, 'a')).toEqual(['deep', 'x.txt'])
    expect(await workspaces.namesIn(sha, 'a')).toEqual(['deep', 'x.txt', 'ü.txt'])
    expect(await workspaces.namesIn(tip, 'link')).toEqual([])
    expect(await workspaces.namesIn(sha, 'link')).toBeNull()
    expect(await workspaces.namesIn(sha, 'a-b')).toBeNull()
  })
})

describe('ignored', () => {
  test('names the paths that git ignores in the workspace', async () => {
    const { workspaces, workspace } = await ready({ '.gitignore': 'out/\n*.log\n', 'a.txt': 'a' })
    symlinkSync('..', join(workspace, 'link'))
    const paths = [
      'a.txt',
      'out/deep/file',
      'x.log',
      'agent/context_latest.md',
      'agent/notes.md',
      'link/a.log',
      ':(top)b.log',
      'ü.log',
    ]
    expect(await workspaces.ignored('coder-001', paths)).toEqual([
      'out/deep/file',
      'x.log',
      'agent/context_latest.md',
      ':(top)b.log',
      'ü.log',
    ])
    expect(await workspaces.ignored('coder-001', [])).toEqual([])
  })
})

describe('checkout', () => {
  test('is exactly the commit, detached, and moves in place', async () => {
    const { workspaces, workspace, snapshot, tip, signal, gitIn } = await ready({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    writeFiles(workspace, { 'a.txt': 'changed\n', 'new.txt': 'new\n' })
    const { sha } = await taken(snapshot())
    const path = await workspaces.checkout('coder-001', tip, signal)
    const untouched = identity(join(path, 'b.txt'))
    writeFiles(path, { 'leftover/x': 'x', 'a.txt': 'tampered\n' })
    expect(await workspaces.checkout('coder-001', sha, signal)).toBe(path)
    expect(Object.keys(listing(path))).toEqual(['a.txt', 'b.txt', 'new.txt'])
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('changed\n')
    expect(identity(join(path, 'b.txt'))).toEqual(untouched)
    expect(gitIn(path, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD')
    expect(gitIn(path, 'rev-parse', 'HEAD')).toBe(sha)
    expect(gitIn(path, 'status', '--porcelain', '--ignored')).toBe('')
  })

  test('stands alone: nothing of it is borrowed from the mirror', async () => {
    const { workspaces, tip, signal, state, gitIn } = await ready()
    const path = await workspaces.checkout('coder-001', tip, signal)
    rmSync(join(state, 'mirror.git'), { recursive: true })
    expect(gitIn(path, 'fsck', '--full')).toBe('')
    expect(gitIn(path, 'log', '--format=%H')).toBe(tip)
  })
})

describe('publish', () => {
  test('makes the branch in the user’s repository, again without effect', async () => {
    const { workspaces, workspace, snapshot, git } = await ready()
    writeFiles(workspace, { 'README.md': 'two\n' })
    const { sha } = await taken(snapshot())
    await workspaces.publish('drydock/x', sha, null)
    await workspaces.publish('drydock/x', sha, null)
    expect(git('rev-parse', 'drydock/x')).toBe(sha)
    expect(git('show', 'drydock/x:README.md')).toBe('two')
    expect(git('status', '--porcelain')).toBe('')
    expect(git('fsck', '--full')).toBe('')
  })

  test('a branch that is elsewhere stays there, even one that could be fast-forwarded', async () => {
    const { workspaces, workspace, snapshot, git, tip } = await ready()
    writeFiles(workspace, { 'README.md': 'two\n' })
    const { sha } = await taken(snapshot())
    git('branch', 'drydock/x')
    await expect(workspaces.publish('drydock/x', sha, null)).rejects.toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining(tip),
    })
    expect(git('rev-parse', 'drydock/x')).toBe(tip)
  })

  test('two at once agree', async () => {
    const { workspaces, workspace, snapshot, git } = await ready()
    writeFiles(workspace, { 'README.md': 'two\n' })
    const { sha } = await taken(snapshot())
    await Promise.all([1, 2, 3].map(() => workspaces.publish('drydock/x', sha, null)))
    expect(git('rev-parse', 'drydock/x')).toBe(sha)
  })

  /** The branch is at `first`; `second` comes after it. */
  async function published() {
    const made = await ready()
    writeFiles(made.workspace, { 'README.md': 'two\n' })
    const { sha: first } = await taken(made.snapshot())
    writeFiles(made.workspace, { 'README.md': 'three\n' })
    const { sha: second } = await taken(made.snapshot('refs/drydock/story/2', null, first))
    await made.workspaces.publish('drydock/x', first, null)
    return { ...made, first, second }
  }

  test('moves a branch on from exactly the commit that is named, again without effect', async () => {
    const { workspaces, git, first, second, tip } = await published()
    await workspaces.publish('drydock/x', second, first)
    await workspaces.publish('drydock/x', second, first)
    expect(git('rev-parse', 'drydock/x', 'HEAD').split('\n')).toEqual([second, tip])
    expect(git('show', 'drydock/x:README.md')).toBe('three')
    expect(git('status', '--porcelain')).toBe('')
    await workspaces.publish('drydock/x', tip, second)
    expect(git('rev-parse', 'drydock/x')).toBe(tip)
  })

  test('a branch that somebody moved or removed is left as it is, with the commands that mend it', async () => {
    const { workspaces, repository, git, first, second, tip } = await published()
    git('branch', '--force', 'drydock/x', tip)
    const moved = await workspaces.publish('drydock/x', second, first).catch((error) => error)
    expect(moved).toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining(`to ${tip}. It was left at ${first}`),
    })
    expect(git('rev-parse', 'drydock/x')).toBe(tip)
    git('branch', '--delete', '--force', 'drydock/x')
    const gone = await workspaces.publish('drydock/x', second, first).catch((error) => error)
    expect(gone).toMatchObject({ code: 'git_failed', message: expect.stringContaining('is gone') })
    expect(await workspaces.branches('drydock/')).toEqual([])

    const mend = (todo: string) => {
      for (const command of todo.split(' && ').filter((one) => one.startsWith('git ')))
        git(...command.split(' ').slice(1))
    }
    mend(gone.todo)
    await workspaces.publish('drydock/x', second, first)
    git('update-ref', 'refs/heads/drydock/x', tip)
    git('checkout', '--quiet', 'drydock/x')
    await expect(workspaces.publish('drydock/x', second, first)).rejects.toMatchObject({
      message: moved.message,
      todo: `git -C ${JSON.stringify(repository)} switch --detach && ${moved.todo}`,
    })
    git('switch', '--quiet', '--detach')
    mend(moved.todo)
    await workspaces.publish('drydock/x', second, first)
    expect(git('rev-parse', 'drydock/x', 'drydock/x-mine').split('\n')).toEqual([second, tip])
  })

  test('a branch that is checked out is not moved, in the repository or in a work tree of it', async () => {
    const { workspaces, repository, top, git, first, second } = await published()
    const refused = (folder: string) => ({
      code: 'git_failed',
      message: expect.stringContaining(`checked out in ${folder}`),
      todo: expect.stringMatching(/another branch.*drydock resume/),
    })
    git('checkout', '--quiet', 'drydock/x')
    await expect(workspaces.publish('drydock/x', second, first)).rejects.toMatchObject(refused(repository))
    await workspaces.publish('drydock/x', first, null)
    git('checkout', '--quiet', 'main')
    git('worktree', 'add', '--quiet', join(top, 'tree'), 'drydock/x')
    await expect(workspaces.publish('drydock/x', second, first)).rejects.toMatchObject(refused(join(top, 'tree')))
    expect(git('rev-parse', 'drydock/x')).toBe(first)
    git('-C', join(top, 'tree'), 'checkout', '--quiet', '--detach')
    await workspaces.publish('drydock/x', second, first)
    expect(git('rev-parse', 'drydock/x')).toBe(second)
  })

  test('a branch that is another name of a branch does not move that one', async () => {
    const { workspaces, git, first, second } = await published()
    git('branch', 'mine', first)
    git('symbolic-ref', 'refs/heads/drydock/x', 'refs/heads/mine')
    await workspaces.publish('drydock/x', second, first)
    expect(git('rev-parse', 'mine', 'drydock/x').split('\n')).toEqual([first, second])
  })

  test('two that move it at once agree, and one that comes with another commit is refused', async () => {
    const { workspaces, git, first, second, tip } = await published()
    const moves = [second, second, tip].map((sha) => workspaces.publish('drydock/x', sha, first))
    const [one, two, other] = await Promise.allSettled(moves)
    const now = git('rev-parse', 'drydock/x')
    expect([one?.status, two?.status]).toEqual(Array(2).fill(now === second ? 'fulfilled' : 'rejected'))
    expect(other?.status).toBe(now === tip ? 'fulfilled' : 'rejected')
    expect([second, tip]).toContain(now)
  })

  test('runs none of the user’s hooks', async () => {
    const { workspaces, repository, top, snapshot, workspace, git } = await ready()
    const hook = `#!/bin/sh\ntouch '${join(top, 'ran')}'\nexit 1\n`
    for (const name of ['reference-transaction', 'post-checkout', 'pre-push', 'post-merge', 'pre-auto-gc'])
      writeFileSync(join(repository, '.git', 'hooks', name), hook, { mode: 0o755 })
    writeFiles(workspace, { 'README.md': 'two\n' })
    const { sha } = await taken(snapshot())
    await workspaces.publish('drydock/x', sha, null)
    expect(readdirSync(top)).not.toContain('ran')
    expect(git('rev-parse', 'drydock/x')).toBe(sha)
  })
})

describe('attributes of a commit that was there before', () => {
  const odd = { '.gitattributes': 'a.txt eol=crlf\nb.txt eol=crlf\n', 'b.txt': 'changed\n' }

  /** A commit whose attributes decide what its files are, and after it one without them. */
  async function twoCommits() {
    const made = await ready({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    writeFiles(made.repository, odd)
    const first = made.commitAll()
    made.git('rm', '-q', '.gitattributes')
    const second = made.commitAll()
    await made.workspaces.updateMirror(made.signal)
    return { ...made, first, second }
  }

  test('decide nothing in a checkout of the next', async () => {
    const { workspaces, signal, tip, first, second } = await twoCommits()
    for (const [i, sha] of [tip, first, second].entries()) {
      const moved = listing(await workspaces.checkout('coder-001', sha, signal))
      expect(moved).toEqual(listing(await workspaces.checkout(`fresh-${i}`, sha, signal)))
    }
  })

  test('decide nothing in a workspace that is made ready for the next, also when they came with a snapshot', async () => {
    const { workspaces, workspace, signal, tip, first, second } = await twoCommits()
    await workspaces.prepare({ slot: 'coder-001', tip, tree: first }, signal)
    await workspaces.snapshot(
      { slot: 'coder-001', parents: [tip], ref: 'refs/drydock/story/1', last: null, message: 'a snapshot', at },
      signal,
    )
    await workspaces.prepare({ slot: 'coder-001', tip: second }, signal)
    expect(listing(workspace)).toEqual(listing(await workspaces.checkout('fresh', second, signal)))
  })
})
