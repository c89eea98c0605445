import { describe, expect, test } from 'vitest'
import { at, type Files } from './git-world.ts'
import { type Git, readyOf, worldOf } from './gits.ts'

/** Tests the contract of WorkTrees for one implementation. */
export function workTreesContract(git: Git): void {
  const ready = (files?: Files) => readyOf(git, files)
  const world = (files?: Files) => worldOf(git, files)

  test('an empty folder is made for each slot, by two at once, and what is there stays', async () => {
    const { workTrees, userRepository, another, shown, signal } = await world()
    const other = another()
    await Promise.all([workTrees.initialize(['coder-001']), other.workTrees.initialize(['coder-001', 'coder-002'])])
    expect(shown(workTrees.path('coder-001'))).toEqual({})
    await Promise.all([userRepository.updateMirror(signal), other.userRepository.updateMirror(signal)])
    const { sha: tip } = await other.userRepository.target(null)
    await other.workTrees.prepare({ slot: 'coder-002', tip }, signal)
    await workTrees.initialize(['coder-001', 'coder-002'])
    expect(shown(other.workTrees.path('coder-002'))).toEqual({ 'README.md': 'one\n' })
    const made = ['coder-001', 'coder-002', 'coder-003'].map((slot) => workTrees.isMade(slot))
    expect(await Promise.all(made)).toEqual([true, true, false])
  })

  test('a slot or checkout name cannot leave its folder', async () => {
    const { workTrees, tip, signal } = await ready()
    for (const name of ['../x', '.', '', '/x', 'a/b']) {
      expect(() => workTrees.path(name)).toThrow('name')
      await expect(workTrees.checkout(name, tip, signal)).rejects.toThrow('name')
    }
  })

  describe('a prepared workspace', () => {
    const project: Files = {
      '.gitignore': 'node_modules/\n*.log\n',
      'README.md': 'one\n',
      'src/a.ts': 'a\n',
      'src/deep/b.ts': 'b\n',
    }

    test('is a fresh clone again whatever was left in it', async () => {
      const { workTrees, write, shown, workspace, tip, signal } = await ready(project)
      expect(shown(workspace)).toEqual(project)
      write(workspace, {
        'node_modules/x.js': 'x',
        'debug.log': 'x',
        'agent/context_001.md': 'x',
        'src/new.ts': 'x',
        '-rf': 'x',
        'src/a.ts': 'changed\n',
        'README.md': null,
        'src/deep': null,
        'README.md/x': 'x',
      })
      await workTrees.prepare({ slot: 'coder-001', tip }, signal)
      expect(shown(workspace)).toEqual(project)
      write(workspace, { src: { link: '/etc' }, 'README.md': { executable: 'one\n' } })
      await workTrees.prepare({ slot: 'coder-001', tip }, signal)
      expect(shown(workspace)).toEqual(project)
    })

    test('moves to another commit', async () => {
      const { workTrees, userRepository, user, write, shown, workspace, signal } = await ready(project)
      write(user.path, { 'src/a.ts': 'next\n', 'src/deep/b.ts': null, run: { executable: '#!/bin/sh\n' } })
      const tip = user.commitAll()
      await userRepository.updateMirror(signal)
      await workTrees.prepare({ slot: 'coder-001', tip }, signal)
      expect(shown(workspace)).toEqual({
        '.gitignore': project['.gitignore'],
        'README.md': 'one\n',
        'src/a.ts': 'next\n',
        run: { executable: '#!/bin/sh\n' },
      })
    })

    test('with a tree has its files; the tip still decides what is tracked', async () => {
      const { history, workTrees, shown, change, snapshot, workspace, tip, signal } = await ready(project)
      const files = { 'src/a.ts': 'changed\n', 'src/new.ts': 'new\n' }
      const sha = await change({ ...files, 'README.md': null })
      await workTrees.initialize(['coder-002'])
      await workTrees.prepare({ slot: 'coder-002', tip, tree: await history.tree(sha) }, signal)
      const { 'README.md': _, ...rest } = project
      expect(shown(workTrees.path('coder-002'))).toEqual({ ...rest, ...files })
      await workTrees.prepare({ slot: 'coder-001', tip, tree: sha }, signal)
      expect(shown(workspace)).toEqual({ ...rest, ...files })
      expect((await snapshot('refs/drydock/b')).sha).toBe(sha)
    })

    test('an aborted preparation rejects with the reason, and the next makes it good', async () => {
      const { workTrees, write, shown, workspace, tip, signal } = await ready(project)
      write(workspace, { 'src/a.ts': 'changed\n' })
      const reason = new Error('stop')
      await expect(workTrees.prepare({ slot: 'coder-001', tip }, AbortSignal.abort(reason))).rejects.toBe(reason)
      await workTrees.prepare({ slot: 'coder-001', tip }, signal)
      expect(shown(workspace)).toEqual(project)
    })
  })

  describe('snapshot', () => {
    test('keeps edits, new files, deletions, links and modes, and leaves out ignored files', async () => {
      const { history, commitInMirror, change, tip } = await ready({
        '.gitignore': 'out/\n',
        'edit.txt': 'a\n',
        'gone.txt': 'b\n',
        'kept.txt': 'c\n',
        'mode.sh': 'm\n',
      })
      const sha = await change({
        'edit.txt': 'changed\n',
        'new/x.txt': 'new\n',
        'out/x': 'ignored',
        'gone.txt': null,
        link: { link: 'out/x' },
        'mode.sh': { executable: 'm\n' },
      })
      expect(await history.changedFiles(tip, sha)).toEqual([
        { path: 'edit.txt', status: 'modified' },
        { path: 'gone.txt', status: 'deleted' },
        { path: 'link', status: 'added' },
        { path: 'mode.sh', status: 'modified' },
        { path: 'new/x.txt', status: 'added' },
      ])
      expect(commitInMirror(sha)).toMatchObject({ parents: [tip], message: 'a snapshot', author: expect.any(String) })
    })

    test('leaves out Drydock’s own context files, and no other file in their folders', async () => {
      const { history, change, tip } = await ready({ 'agent/context_old.md': 'tracked\n', 'README.md': 'one\n' })
      const sha = await change({
        'agent/context_001.md': 'ours',
        'agent/context_latest.md': 'ours',
        'agent/mine.md': 'theirs',
        '.drydock-agent/context_001.md': 'ours',
        '.drydock-agent-2/context_001.md': 'ours',
        '.drydock-agent-2/x.md': 'theirs',
        'src/agent/context_001.md': 'theirs',
        'agent/deep/context_1.md': 'x',
        'agent/context_old.md': 'edited\n',
      })
      expect(await history.changedFiles(tip, sha)).toEqual([
        { path: '.drydock-agent-2/x.md', status: 'added' },
        { path: 'agent/context_old.md', status: 'modified' },
        { path: 'agent/deep/context_1.md', status: 'added' },
        { path: 'agent/mine.md', status: 'added' },
        { path: 'src/agent/context_001.md', status: 'added' },
      ])
    })

    test('follows the ignore rules of every folder, the nearest last, and none below an ignored folder', async () => {
      const { history, change, tip } = await ready({
        '.gitignore': [
          '# a comment',
          '*.log',
          '/top',
          'build/',
          'a/**/z',
          'doc/*.txt',
          '!keep.log',
          '\\#odd',
          '[ab]?.x',
        ].join('\n'),
        'sub/.gitignore': '!important.log\nlocal\n*.tmp\n',
        'sub/deep/.gitignore': '!x.tmp\n',
      })
      const sha = await change({
        'x.log': '',
        'keep.log': '',
        'sub/x.log': '',
        'sub/important.log': '',
        top: '',
        'sub/top': '',
        'build/x': '',
        'sub/build/x': '',
        'sub/deep/build': '',
        'a/z': '',
        'a/b/c/z': '',
        'b/a/z': '',
        'doc/a.txt': '',
        'doc/deep/a.txt': '',
        'sub/doc/a.txt': '',
        local: '',
        'sub/local': '',
        'sub/deep/local': '',
        'sub/x.tmp': '',
        'sub/deep/x.tmp': '',
        'sub/deep/y.tmp': '',
        '#odd': '',
        'a1.x': '',
        'c1.x': '',
        'build/.gitignore': '!x\n',
      })
      expect((await history.changedFiles(tip, sha)).map(({ path }) => path)).toEqual([
        'b/a/z',
        'c1.x',
        'doc/deep/a.txt',
        'keep.log',
        'local',
        'sub/deep/build',
        'sub/deep/x.tmp',
        'sub/doc/a.txt',
        'sub/important.log',
        'sub/top',
      ])
    })

    test('of the same tree on the same parents is the same one, whatever the time', async () => {
      const { workTrees, write, workspace, snapshot, mirrorRefs, tip, signal } = await ready()
      write(workspace, { 'README.md': 'two\n' })
      const first = await snapshot('refs/drydock/a')
      const later = { slot: 'coder-001', parents: [tip], message: 'another', at: new Date(at.getTime() + 5_000) }
      const again = await workTrees.snapshot({ ...later, ref: 'refs/drydock/a', last: null }, signal)
      const elsewhere = await workTrees.snapshot({ ...later, ref: 'refs/drydock/b', last: first.sha }, signal)
      expect([again, elsewhere]).toEqual([
        { ok: true, snapshot: first },
        { ok: true, snapshot: first },
      ])
      expect(mirrorRefs()).toMatchObject({ 'refs/drydock/a': first.sha, 'refs/drydock/b': first.sha })
    })

    test('of the same tree on another parent is another one', async () => {
      const { user, userRepository, snapshot, signal } = await ready()
      const first = await snapshot('refs/drydock/a')
      const parent = user.commitAll('empty')
      await userRepository.updateMirror(signal)
      const second = await snapshot('refs/drydock/a', [parent], first.sha)
      expect(second.tree).toBe(first.tree)
      expect(second.sha).not.toBe(first.sha)
    })

    test('keeps a file that the parent has, even if it is ignored and was deleted for a while', async () => {
      const { history, workTrees, userRepository, user, write, change, workspace, tip, signal } = await ready({
        'kept.log': 'a\n',
      })
      write(user.path, { '.gitignore': '*.log\n' })
      const parent = user.commitAll()
      expect(parent).not.toBe(tip)
      await userRepository.updateMirror(signal)
      await workTrees.prepare({ slot: 'coder-001', tip: parent }, signal)
      const without = await change({ 'kept.log': null }, 'refs/drydock/a', [parent])
      write(workspace, { 'new.log': 'ignored\n' })
      const again = await change({ 'kept.log': 'back\n' }, 'refs/drydock/a', [parent])
      expect(await history.changedFiles(parent, without)).toEqual([{ path: 'kept.log', status: 'deleted' }])
      expect(await history.changedFiles(parent, again)).toEqual([{ path: 'kept.log', status: 'modified' }])
    })

    test('leaves out a file that an earlier one had and that is now ignored', async () => {
      const { history, change, tip } = await ready()
      await change({ 'build.out': 'x' })
      const sha = await change({ '.gitignore': '*.out\n' })
      expect(await history.changedFiles(tip, sha)).toEqual([{ path: '.gitignore', status: 'added' }])
    })

    test('of a slot that was never prepared is taken too', async () => {
      const { history, workTrees, userRepository, write, signal } = await world()
      await workTrees.initialize(['coder-001'])
      const { sha: parent } = await userRepository.target(null)
      write(workTrees.path('coder-001'), { 'README.md': 'one\n' })
      const input = { slot: 'coder-001', parents: [parent], ref: 'refs/drydock/a', last: null, message: 'm', at }
      expect(await workTrees.snapshot(input, signal)).toMatchObject({
        ok: true,
        snapshot: { tree: await history.tree(parent) },
      })
    })

    test('with a repository in it is refused by name, unless that is ignored', async () => {
      const { history, workTrees, write, change, workspace, tip, signal } = await ready({ '.gitignore': 'vendor/\n' })
      const sha = await change({ 'vendor/x/.git/HEAD': 'x', 'new.txt': 'x' })
      expect(await history.changedFiles(tip, sha)).toEqual([{ path: 'new.txt', status: 'added' }])
      write(workspace, { 'src/nested/.git/config': 'x', 'src/nested/work.txt': 'work' })
      const input = { slot: 'coder-001', parents: [tip], ref: 'refs/drydock/a', last: null, message: 'm', at }
      expect(await workTrees.snapshot(input, signal)).toEqual({
        ok: false,
        reason: 'a git repository inside the workspace cannot be part of the change: remove "src/nested/.git"',
      })
    })

    test('sets aside what it cannot hold when asked, until that is forgotten', async () => {
      const { history, workTrees, write, shown, workspace, tip, signal } = await ready()
      const ref = 'refs/drydock/kept/1'
      for (const content of ['first', 'second']) {
        write(workspace, { 'src/nested/.git': content, 'src/nested/work.txt': 'work' })
        const input = { slot: 'coder-001', parents: [tip], ref, last: null, message: 'm', at }
        const kept = await workTrees.snapshot({ ...input, setAside: true }, signal)
        if (!kept.ok) throw new Error(kept.reason)
        expect(await history.changedFiles(tip, kept.snapshot.sha)).toEqual([
          { path: 'src/nested/work.txt', status: 'added' },
        ])
      }
      expect(shown(workspace)).toEqual({ 'README.md': 'one\n', 'src/nested/work.txt': 'work' })
      const [aside, ...more] = await workTrees.setAside('refs/drydock/kept/')
      expect([aside?.ref, more]).toEqual([ref, []])
      expect(shown(aside?.folder ?? '')).toEqual({
        '1/src/nested/.git.set-aside': 'first',
        '2/src/nested/.git.set-aside': 'second',
      })
      await workTrees.forgetSetAside(['refs/drydock/kept/'])
      expect(await workTrees.setAside('refs/drydock/kept/')).toEqual([])
    })
  })

  test('ignored names the paths that git ignores in the workspace', async () => {
    const { workTrees, write, workspace } = await ready({ '.gitignore': 'out/\n*.log\n', 'a.txt': 'a' })
    write(workspace, { link: { link: '..' }, 'out/x': 'x' })
    const ignored = ['out/deep/file', 'out', 'x.log', 'agent/context_latest.md', ':(top)b.log', 'ü.log']
    const others = ['a.txt', 'agent/notes.md', 'link/a.log', 'none']
    expect(await workTrees.ignored('coder-001', [...others, ...ignored])).toEqual(ignored)
    expect(await workTrees.ignored('coder-001', [])).toEqual([])
  })

  test('a checkout is exactly the commit, and moves in place', async () => {
    const { workTrees, write, shown, change, tip, signal } = await ready({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    const sha = await change({ 'a.txt': 'changed\n', 'new.txt': 'new\n' })
    const path = await workTrees.checkout('coder-001', tip, signal)
    expect(shown(path)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    write(path, { 'leftover/x': 'x', 'a.txt': 'tampered\n' })
    expect(await workTrees.checkout('coder-001', sha, signal)).toBe(path)
    expect(shown(path)).toEqual({ 'a.txt': 'changed\n', 'b.txt': 'b\n', 'new.txt': 'new\n' })
    const none = `${'0'.repeat(39)}1`
    await expect(workTrees.checkout('coder-001', none, signal)).rejects.toMatchObject({ code: 'git_failed' })
  })

  test('mount points are made where no file, link or .git is in the way, and nowhere outside', async () => {
    const { workTrees, write, shown, workspace } = await ready({ file: 'kept', 'there/file': 'x' })
    write(workspace, { link: { link: '..' }, dangling: { link: 'missing' } })
    const before = shown(workspace)
    const wanted = ['there', 'node_modules', 'packages/ü b/node_modules']
    expect(await workTrees.makeMountPoints(workspace, wanted)).toEqual(wanted)
    expect(await workTrees.makeMountPoints(workspace, wanted)).toEqual(wanted)
    const inTheWay = ['file', 'file/below', 'link', 'link/below', 'link/a/b', 'dangling', 'dangling/below']
    const bad = ['', '.', '..', '/tmp', '../x', 'a/../../x', 'a//b', 'a/', './a', '.git/x', 'a/.GIT', 'a\0b']
    expect(await workTrees.makeMountPoints(workspace, [...inTheWay, ...bad, 'x'.repeat(300), 'fine'])).toEqual(['fine'])
    expect(shown(workspace)).toEqual(before)
  })

  test('a commit without submodules has none', async () => {
    const { workTrees, tip, signal } = await ready()
    expect(await workTrees.submodules(tip, signal)).toEqual([])
  })
}
