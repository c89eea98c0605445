import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { at, identity, listing, writeFiles } from '../adapters/git/git-world.ts'
import { ready, taken, world } from './made-world.ts'

describe('initialize', () => {
  test('makes the mirror and an empty directory for each slot', async () => {
    const { workTrees, state } = world()
    await workTrees.initialize(['coder-001', 'coder-002'])
    expect(readdirSync(join(state, 'workspaces'))).toEqual(['coder-001', 'coder-002'])
    expect(listing(workTrees.path('coder-001'))).toEqual({})
    expect(readFileSync(join(state, 'mirror.git', 'HEAD'), 'utf8')).toMatch(/^ref: /)
  })

  test('leaves what exists as it is, with the same inodes', async () => {
    const { workTrees, state, workspace, signal, tip } = await ready()
    const inodes = () => [workspace, join(state, 'mirror.git')].map((path) => statSync(path).ino)
    const before = inodes()
    await workTrees.initialize(['coder-001', 'coder-002'])
    expect(inodes()).toEqual(before)
    expect(readFileSync(join(workspace, 'README.md'), 'utf8')).toBe('one\n')
    await workTrees.prepare({ slot: 'coder-002', tip }, signal)
  })

  test('may be called by two at once', async () => {
    const { workTrees, userRepository, another, signal } = world()
    const other = another()
    await Promise.all([workTrees.initialize(['coder-001']), other.workTrees.initialize(['coder-001', 'coder-002'])])
    await Promise.all([userRepository.updateMirror(signal), other.userRepository.updateMirror(signal)])
    const { sha: tip } = await other.userRepository.target(null)
    await other.workTrees.prepare({ slot: 'coder-002', tip }, signal)
    expect(readFileSync(join(other.workTrees.path('coder-002'), 'README.md'), 'utf8')).toBe('one\n')
  })
})

describe('snapshot', () => {
  test('keeps edits, new files, deletions and modes, and leaves out what is ignored', async () => {
    const { history, workspace, snapshot, tip } = await ready({
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
    expect(await history.changedFiles(tip, sha)).toEqual([
      { path: 'agent/mine.md', status: 'added' },
      { path: 'edit.txt', status: 'modified' },
      { path: 'gone.txt', status: 'deleted' },
      { path: 'new/x.txt', status: 'added' },
    ])
  })

  test('the same tree on the same parent is the same snapshot, whatever the time', async () => {
    const { workTrees, workspace, snapshot, state, gitIn, tip, signal } = await ready()
    writeFiles(workspace, { 'README.md': 'two\n' })
    const first = await taken(snapshot('refs/drydock/a'))
    const later = { slot: 'coder-001', parents: [tip], message: 'another', at: new Date(at.getTime() + 5_000) }
    const again = await workTrees.snapshot({ ...later, ref: 'refs/drydock/a', last: null }, signal)
    const elsewhere = await workTrees.snapshot({ ...later, ref: 'refs/drydock/b', last: first.sha }, signal)
    expect([again, elsewhere]).toEqual([
      { ok: true, snapshot: first },
      { ok: true, snapshot: first },
    ])
    expect(gitIn(join(state, 'mirror.git'), 'rev-parse', 'refs/drydock/b')).toBe(first.sha)
  })

  test('another parent makes another snapshot of the same tree', async () => {
    const { commitAll, userRepository, snapshot, signal } = await ready()
    const first = await taken(snapshot('refs/drydock/a'))
    const parent = commitAll('empty')
    await userRepository.updateMirror(signal)
    const second = await taken(snapshot('refs/drydock/a', first.sha, parent))
    expect(second.tree).toBe(first.tree)
    expect(second.sha).not.toBe(first.sha)
  })

  test('a file counts as tracked when the parent has it, even if it is ignored and was deleted for a while', async () => {
    const { history, workTrees, userRepository, workspace, snapshot, tip, git, commitAll, signal } = await ready({
      '.gitignore': '*.log\n',
    })
    writeFiles(join(workspace, '..', '..', '..', 'my répo'), { 'kept.log': 'a\n' })
    git('add', '--force', 'kept.log')
    const parent = commitAll()
    expect(parent).not.toBe(tip)
    await userRepository.updateMirror(signal)
    await workTrees.prepare({ slot: 'coder-001', tip: parent }, signal)
    unlinkSync(join(workspace, 'kept.log'))
    const without = await taken(snapshot('refs/drydock/a', null, parent))
    writeFiles(workspace, { 'kept.log': 'back\n', 'new.log': 'ignored\n' })
    const again = await taken(snapshot('refs/drydock/a', null, parent))
    expect(await history.changedFiles(parent, without.sha)).toEqual([{ path: 'kept.log', status: 'deleted' }])
    expect(await history.changedFiles(parent, again.sha)).toEqual([{ path: 'kept.log', status: 'modified' }])
  })

  test('a file that was in an earlier snapshot and is now ignored is out', async () => {
    const { history, workspace, snapshot, tip } = await ready()
    writeFiles(workspace, { 'build.out': 'x' })
    await taken(snapshot())
    writeFiles(workspace, { '.gitignore': '*.out\n' })
    const { sha } = await taken(snapshot())
    expect(await history.changedFiles(tip, sha)).toEqual([{ path: '.gitignore', status: 'added' }])
  })

  test('a slot that was never prepared can be kept too', async () => {
    const { workTrees, userRepository, git, signal } = world()
    await workTrees.initialize(['coder-001'])
    const { sha: parent } = await userRepository.target(null)
    writeFiles(workTrees.path('coder-001'), { 'README.md': 'one\n' })
    const input = { slot: 'coder-001', parents: [parent], ref: 'refs/drydock/a', last: null, message: 'm', at }
    expect(await workTrees.snapshot(input, signal)).toMatchObject({
      ok: true,
      snapshot: { tree: git('rev-parse', 'HEAD^{tree}') },
    })
  })
})

describe('ignored', () => {
  test('names the paths that git ignores in the workspace', async () => {
    const { workTrees, workspace } = await ready({ '.gitignore': 'out/\n*.log\n', 'a.txt': 'a' })
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
    expect(await workTrees.ignored('coder-001', paths)).toEqual([
      'out/deep/file',
      'x.log',
      'agent/context_latest.md',
      ':(top)b.log',
      'ü.log',
    ])
    expect(await workTrees.ignored('coder-001', [])).toEqual([])
  })
})

describe('checkout', () => {
  test('is exactly the commit, detached, and moves in place', async () => {
    const { workTrees, workspace, snapshot, tip, signal, gitIn } = await ready({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    writeFiles(workspace, { 'a.txt': 'changed\n', 'new.txt': 'new\n' })
    const { sha } = await taken(snapshot())
    const path = await workTrees.checkout('coder-001', tip, signal)
    const untouched = identity(join(path, 'b.txt'))
    writeFiles(path, { 'leftover/x': 'x', 'a.txt': 'tampered\n' })
    expect(await workTrees.checkout('coder-001', sha, signal)).toBe(path)
    expect(Object.keys(listing(path))).toEqual(['a.txt', 'b.txt', 'new.txt'])
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('changed\n')
    expect(identity(join(path, 'b.txt'))).toEqual(untouched)
    expect(gitIn(path, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD')
    expect(gitIn(path, 'rev-parse', 'HEAD')).toBe(sha)
    expect(gitIn(path, 'status', '--porcelain', '--ignored')).toBe('')
  })

  test('stands alone: nothing of it is borrowed from the mirror', async () => {
    const { workTrees, tip, signal, state, gitIn } = await ready()
    const path = await workTrees.checkout('coder-001', tip, signal)
    rmSync(join(state, 'mirror.git'), { recursive: true })
    expect(gitIn(path, 'fsck', '--full')).toBe('')
    expect(gitIn(path, 'log', '--format=%H')).toBe(tip)
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
    await made.userRepository.updateMirror(made.signal)
    return { ...made, first, second }
  }

  test('decide nothing in a checkout of the next', async () => {
    const { workTrees, signal, tip, first, second } = await twoCommits()
    for (const [i, sha] of [tip, first, second].entries()) {
      const moved = listing(await workTrees.checkout('coder-001', sha, signal))
      expect(moved).toEqual(listing(await workTrees.checkout(`fresh-${i}`, sha, signal)))
    }
  })

  test('decide nothing in a workspace that is made ready for the next, also when they came with a snapshot', async () => {
    const { workTrees, workspace, signal, tip, first, second } = await twoCommits()
    await workTrees.prepare({ slot: 'coder-001', tip, tree: first }, signal)
    await workTrees.snapshot(
      { slot: 'coder-001', parents: [tip], ref: 'refs/drydock/story/1', last: null, message: 'a snapshot', at },
      signal,
    )
    await workTrees.prepare({ slot: 'coder-001', tip: second }, signal)
    expect(listing(workspace)).toEqual(listing(await workTrees.checkout('fresh', second, signal)))
  })
})
