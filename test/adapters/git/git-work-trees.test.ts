import {
  chmodSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { at, identity, listing, makeReadyWorld, writeFiles } from './git-world.ts'

async function ready(...given: Parameters<typeof makeReadyWorld>) {
  const world = await makeReadyWorld(...given)
  onTestFinished(() => world.close())
  return world
}

test('initialize leaves what exists as it is, with the same inodes', async () => {
  const { workTrees, state, workspace } = await ready()
  const inodes = () => [workspace, join(state, 'mirror.git')].map((path) => statSync(path).ino)
  const before = inodes()
  await workTrees.initialize(['coder-001', 'coder-002'])
  expect(inodes()).toEqual(before)
  expect(readFileSync(join(workspace, 'README.md'), 'utf8')).toBe('one\n')
})

describe('checkout', () => {
  test('is detached at the commit, and keeps the files that do not differ', async () => {
    const { workTrees, workspace, snapshot, tip, signal, gitIn } = await ready({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    writeFiles(workspace, { 'a.txt': 'changed\n', 'new.txt': 'new\n' })
    const kept = await snapshot()
    const sha = kept.ok ? kept.snapshot.sha : kept.reason
    const path = await workTrees.checkout('coder-001', tip, signal)
    const untouched = identity(join(path, 'b.txt'))
    writeFiles(path, { 'leftover/x': 'x', 'a.txt': 'tampered\n' })
    await workTrees.checkout('coder-001', sha, signal)
    expect(Object.keys(listing(path))).toEqual(['a.txt', 'b.txt', 'new.txt'])
    expect(identity(join(path, 'b.txt'))).toEqual(untouched)
    expect(readFileSync(join(path, '.git/HEAD'), 'utf8')).toBe(`${sha}\n`)
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

test('attributes of a commit that was there before decide nothing of the next, in a checkout or a workspace', async () => {
  const { workTrees, userRepository, repository, workspace, commitAll, git, signal, tip } = await ready({
    ...{ 'a.txt': 'a\n', 'b.txt': 'b\n' },
  })
  writeFiles(repository, { '.gitattributes': 'a.txt eol=crlf\nb.txt eol=crlf\n', 'b.txt': 'changed\n' })
  const first = commitAll()
  git('rm', '-q', '.gitattributes')
  const second = commitAll()
  await userRepository.updateMirror(signal)
  for (const [i, sha] of [tip, first, second].entries()) {
    const moved = listing(await workTrees.checkout('coder-001', sha, signal))
    expect(moved).toEqual(listing(await workTrees.checkout(`fresh-${i}`, sha, signal)))
  }
  // Also when they came with a snapshot.
  await workTrees.prepare({ slot: 'coder-001', tip, tree: first }, signal)
  await workTrees.snapshot(
    { slot: 'coder-001', parents: [tip], ref: 'refs/drydock/story/1', last: null, message: 'a snapshot', at },
    signal,
  )
  await workTrees.prepare({ slot: 'coder-001', tip: second }, signal)
  expect(listing(workspace)).toEqual(listing(join(workTrees.path('coder-001'), '../../checkouts/fresh-2')))
})

test('an unchanged workspace keeps its snapshot, and each kind of change makes a new one', async () => {
  const files = { 'a.txt': 'a\n', 'b/c.txt': 'c\n', 'b/d.txt': 'd\n', '.gitignore': '*.log\n' }
  const { workspace, snapshot, tip, history } = await ready(files)
  writeFiles(workspace, { 'a.txt': 'b\n' })
  const shaOf = (kept: Awaited<ReturnType<typeof snapshot>>) => (kept.ok ? kept.snapshot.sha : kept.reason)
  let last = shaOf(await snapshot())
  const at = (path: string) => join(workspace, path)
  const changes: readonly (() => void)[] = [
    () => {
      const { atime, mtime } = lstatSync(at('a.txt'))
      writeFileSync(at('a.txt'), 'c\n')
      utimesSync(at('a.txt'), atime, mtime)
    },
    () => rmSync(at('b/c.txt')),
    () => renameSync(at('b'), at('e')),
    () => chmodSync(at('a.txt'), 0o755),
    () => symlinkSync('a.txt', at('link')),
    () => writeFiles(workspace, { '.gitignore': '' }),
    () => renameSync(at('e/d.txt'), at('e/f.txt')),
  ]
  for (const [i, change] of changes.entries()) {
    expect(shaOf(await snapshot('refs/drydock/story/2', last))).toBe(last)
    writeFiles(workspace, { 'x.log': `${i}\n` })
    const ignored = shaOf(await snapshot('refs/drydock/story/2', last))
    if (i < 6) expect(ignored).toBe(last)
    change()
    const next = shaOf(await snapshot('refs/drydock/story/2', ignored))
    expect(next, String(change)).toMatch(/^[0-9a-f]{40}$/)
    expect(next, String(change)).not.toBe(ignored)
    last = next
  }
  const changed = await history.changedFiles(tip, last)
  expect(changed.map(({ path, status }) => `${status} ${path}`).sort()).toEqual([
    ...['added link', 'added x.log', 'deleted b/c.txt'],
    ...['modified .gitignore', 'modified a.txt', 'renamed e/f.txt'],
  ])
})
