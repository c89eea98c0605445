import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { at, listing, writeFiles } from './git-world.ts'
import { alone, ready } from './work-trees-world.ts'

test('initialize leaves what exists as it is, with the same inodes', async () => {
  const { workTrees, state, workspace } = await ready()
  const inodes = () => [workspace, join(state, 'mirror.git')].map((path) => statSync(path).ino)
  const before = inodes()
  await workTrees.initialize(['coder-001', 'coder-002'])
  expect(inodes()).toEqual(before)
  expect(readFileSync(join(workspace, 'README.md'), 'utf8')).toBe('one\n')
})

describe('checkout', () => {
  test('gives one time to all that it holds, and to nothing that its links lead to', async () => {
    const { workTrees, workspace, snapshot, top, signal } = await ready({ 'a.txt': 'a\n', 'deep/b.txt': 'b\n' })
    const outside = join(top, 'outside')
    writeFiles(outside, { 'c.txt': 'c\n' })
    // A walk that follows the link would never end.
    symlinkSync('..', join(outside, 'loop'))
    symlinkSync(outside, join(workspace, 'link'))
    const before = [outside, join(outside, 'c.txt')].map((path) => statSync(path).mtimeMs)
    const kept = await snapshot()
    const path = await workTrees.checkout('coder-001', kept.ok ? kept.snapshot.sha : kept.reason, signal)
    const times = ['a.txt', 'deep', 'deep/b.txt', 'link'].map((name) => lstatSync(join(path, name)).mtimeMs)
    expect(new Set(times).size).toBe(1)
    expect([outside, join(outside, 'c.txt')].map((each) => statSync(each).mtimeMs)).toEqual(before)
  })

  test('is detached at the commit, and keeps the files that do not differ', async () => {
    const { workTrees, workspace, snapshot, tip, signal, gitIn } = await ready({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    writeFiles(workspace, { 'a.txt': 'changed\n', 'new.txt': 'new\n' })
    const kept = await snapshot()
    const sha = kept.ok ? kept.snapshot.sha : kept.reason
    const path = await workTrees.checkout('coder-001', tip, signal)
    const inodes = () => statSync(join(path, 'b.txt')).ino
    const untouched = inodes()
    writeFiles(path, { 'leftover/x': 'x', 'a.txt': 'tampered\n' })
    await workTrees.checkout('coder-001', sha, signal)
    expect(Object.keys(listing(path))).toEqual(['a.txt', 'b.txt', 'new.txt'])
    expect(inodes()).toBe(untouched)
    expect(readFileSync(join(path, '.git/HEAD'), 'utf8')).toBe(`${sha}\n`)
    expect(gitIn(path, 'status', '--porcelain', '--ignored')).toBe('')
  })

  test('tells nothing of the commits that it had before: neither by a name, nor a time, nor an object', async () => {
    const { workTrees, workspace, snapshot, tip, signal, gitIn } = await ready({ 'a.txt': 'a\n', 'b/c.txt': 'c\n' })
    writeFiles(workspace, { 'a.txt': 'b\n', 'new.txt': 'new\n' })
    const kept = await snapshot()
    const sha = kept.ok ? kept.snapshot.sha : kept.reason
    const look = async (name: string, commit: string) => {
      const path = await workTrees.checkout(name, commit, signal)
      expect(await workTrees.makeMountPoints(path, ['b/deps', 'out'])).toEqual(['b/deps', 'out'])
      const top = realpathSync(path)
      const all = [
        '',
        ...readdirSync(top, { recursive: true })
          .map(String)
          .filter((each) => !each.startsWith('.git')),
      ]
      const stats = all.map((each) => lstatSync(join(top, each)))
      const unchanged = gitIn(top, 'diff-index', 'HEAD', '--')
      const objects = gitIn(top, 'cat-file', '--batch-all-objects', '--batch-check')
      const files = readdirSync(join(top, '.git')).sort()
      const read = stats.filter((each) => each.isFile()).map(({ atimeMs }) => atimeMs)
      const times = new Set([...stats.map(({ mtimeMs }) => mtimeMs), ...read])
      const between =
        Math.max(...stats.map(({ ctimeMs }) => ctimeMs)) - Math.min(...stats.map(({ ctimeMs }) => ctimeMs))
      expect([times.size, unchanged, between < 2_000]).toEqual([1, '', true])
      return { times, objects, files, place: basename(top) }
    }
    const first = await look('one', tip)
    const second = await look('one', sha)
    const third = await look('one', tip)
    const other = await look('two', tip)
    for (const { place, ...seen } of [third, other]) expect({ ...seen, place: '' }).toEqual({ ...first, place: '' })
    // Tools that identify a file by size and time must not confuse it with one of another tree.
    expect(second.times).not.toEqual(first.times)
    const places = [first, second, third, other].map(({ place }) => place)
    expect(places.filter((place) => !/^\.[0-9a-f]{24}$/.test(place))).toEqual([])
    expect(new Set(places).size).toBe(4)
  })

  test('is found again wherever a process that was killed has left it, and leaves no second folder', async () => {
    const { workTrees, tip, signal, state } = await ready()
    const link = await workTrees.checkout('one', tip, signal)
    const folders = () => readdirSync(join(state, 'checkouts')).filter((name) => /^\.[0-9a-f]{24}$/.test(name))
    const [before = ''] = folders()
    symlinkSync('.0123456789abcdef01234567', join(state, 'checkouts', '.one.next'))
    await workTrees.checkout('one', tip, signal)
    expect(folders()).toHaveLength(1)
    const [moved = ''] = folders()
    renameSync(join(state, 'checkouts', moved), join(state, 'checkouts', before))
    symlinkSync(before, join(state, 'checkouts', '.one.next'))
    await workTrees.checkout('one', tip, signal)
    expect([folders().length, readFileSync(join(link, 'README.md'), 'utf8')]).toEqual([1, 'one\n'])
  })

  test('stands alone: nothing of it is borrowed from the mirror', async () => {
    const { workTrees, tip, signal, state, gitIn } = await ready()
    const path = await workTrees.checkout('coder-001', tip, signal)
    rmSync(join(state, 'mirror.git'), { recursive: true })
    expect(gitIn(path, 'fsck', '--full')).toBe('')
    expect(gitIn(path, 'log', '--format=%H')).toBe(tip)
  })
})

describe('the commits of a checkout', () => {
  test('come with the tags in their history, and with those that are made later', async () => {
    const world = await ready()
    const { tip, repository, git, commitAll, userRepository, history, signal } = world
    git('tag', 'light')
    git('tag', '--annotate', '--message', 'm', 'heavy')
    writeFiles(repository, { next: 'x\n' })
    const next = commitAll()
    git('tag', '--annotate', '--message', 'm', 'next')
    await userRepository.updateMirror(signal)
    const tree = await history.tree(next)
    const on = (parent: string) =>
      history.commit({ tree, parents: [parent], message: 'm', at, ref: `refs/drydock/of/${parent}` })
    expect(await alone(world, await on(tip))).toMatchObject({ problems: '', tags: ['heavy', 'light'] })
    expect(await alone(world, tip)).toMatchObject({ problems: '', tags: ['heavy', 'light'] })
    expect(await alone(world, await on(next))).toMatchObject({ problems: '', tags: ['heavy', 'light', 'next'] })
    git('tag', 'later', tip)
    await userRepository.updateMirror(signal)
    const last = await on(await on(next))
    expect(await alone(world, last)).toMatchObject({ problems: '', tags: ['heavy', 'later', 'light', 'next'] })
  })
})

test('a checkout that lacks objects, or was made before the machine started, is made again', async () => {
  const files = { 'a/b': 'b\n', c: 'c\n' }
  const { workTrees, workspace, snapshot, tip, signal, gitIn, state } = await ready(files)
  writeFiles(workspace, { 'a/b': 'changed\n' })
  const kept = await snapshot()
  const sha = kept.ok ? kept.snapshot.sha : kept.reason
  const path = await workTrees.checkout('coder-001', tip, signal)
  const objectOf = (name: string) => {
    const id = gitIn(join(state, 'mirror.git'), 'rev-parse', name)
    return join(path, '.git', 'objects', id.slice(0, 2), id.slice(2))
  }
  const isWhole = () => {
    expect(gitIn(path, 'fsck', '--full', '--no-dangling')).toBe('')
    expect(gitIn(path, 'rev-parse', 'HEAD')).toBe(sha)
    expect(gitIn(path, 'status', '--porcelain')).toBe('')
  }
  await workTrees.checkout('coder-001', sha, signal)
  rmSync(objectOf(sha))
  await workTrees.checkout('coder-001', sha, signal)
  isWhole()
  for (const name of [sha, `${sha}:a`, `${sha}:a/b`]) {
    await workTrees.checkout('coder-001', tip, signal)
    await workTrees.checkout('coder-001', sha, signal)
    // Simulates a crash after the object's name was written but not its content.
    rmSync(objectOf(name))
    writeFileSync(objectOf(name), '')
    utimesSync(join(path, '.git/HEAD'), 0, 0)
    await workTrees.checkout('coder-001', sha, signal)
    isWhole()
  }
})

test('attributes of a commit that was there before decide nothing of the next, in a checkout or a workspace', async () => {
  const { workTrees, userRepository, repository, workspace, commitAll, git, signal, tip } = await ready({
    'a.txt': 'a\n',
    'b.txt': 'b\n',
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
  // Also for files that came with a snapshot.
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
    'added link',
    'added x.log',
    'deleted b/c.txt',
    'modified .gitignore',
    'modified a.txt',
    'renamed e/f.txt',
  ])
})

test('a context file is not a change of a workspace, unless the repository has the file', async () => {
  const { workspace, snapshot } = await ready({ 'agent/a.md': 'a\n', '.drydock-agent-3/context_1.md': 'a\n' })
  const shaOf = async () => {
    const kept = await snapshot('refs/drydock/story/1', null)
    return kept.ok ? kept.snapshot.sha : kept.reason
  }
  const before = await shaOf()
  writeFiles(workspace, { 'agent/context_1.md': 'x\n' })
  expect(await shaOf()).toBe(before)
  writeFiles(workspace, { 'agent/context/1.md': 'x\n' })
  const after = await shaOf()
  expect(after).not.toBe(before)
  writeFiles(workspace, { '.drydock-agent-3/context_1.md': 'b\n' })
  expect(await shaOf()).not.toBe(after)
  rmSync(join(workspace, '.drydock-agent-3'), { recursive: true })
  const without = await shaOf()
  expect(await shaOf()).toBe(without)
  writeFiles(workspace, { '.drydock-agent-3/context_1.md': 'a\n' })
  expect(await shaOf()).toBe(after)
})
