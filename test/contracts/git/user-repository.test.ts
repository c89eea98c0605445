import { describe, expect, test } from 'vitest'
import { at, type Files } from './git-world.ts'
import { gits, readyOf, worldOf } from './gits.ts'

describe.each(gits)('a user’s repository of $name', (git) => {
  const world = (files?: Files) => worldOf(git, files)
  const ready = (files?: Files) => readyOf(git, files)

  describe('target', () => {
    test('is the branch that is checked out; a branch, a tag or a commit by name', async () => {
      const { userRepository, user } = await world()
      const sha = user.at('HEAD') ?? ''
      user.branch('feature/x')
      user.tag('v1')
      expect(await userRepository.target(null)).toEqual({ branch: 'main', sha })
      expect(await userRepository.target('feature/x')).toEqual({ branch: 'feature/x', sha })
      expect(await userRepository.target('v1')).toEqual({ branch: null, sha })
      expect(await userRepository.target('main~0')).toEqual({ branch: null, sha })
      expect(await userRepository.target(sha.slice(0, 10))).toEqual({ branch: null, sha })
      expect(await userRepository.commitOf('feature/x')).toBe(sha)
    })

    test('has no branch when HEAD is detached, and its commit can still be prepared', async () => {
      const { workTrees, userRepository, user, signal } = await world()
      user.switchTo(user.at('HEAD') ?? '')
      const sha = user.commitAll('only on a detached HEAD')
      await workTrees.initialize(['coder-001'])
      expect(await userRepository.target(null)).toEqual({ branch: null, sha })
      await workTrees.prepare({ slot: 'coder-001', tip: sha }, signal)
    })

    test('a name that is unknown or an option is an error with something to do', async () => {
      const { userRepository } = await world()
      for (const name of ['nowhere', '--all', ''])
        await expect(userRepository.target(name)).rejects.toMatchObject({
          code: 'unknown_revision',
          todo: expect.stringMatching(/./),
        })
    })

    test('a repository without commits is an error with the command to run', async () => {
      const { workTrees, userRepository, signal } = await world({})
      for (const name of [null, 'main'])
        await expect(userRepository.target(name)).rejects.toMatchObject({
          code: 'no_commits',
          todo: expect.stringContaining('git commit'),
        })
      await expect(userRepository.snapshotUserTree('refs/drydock/user', at)).rejects.toMatchObject({
        code: 'no_commits',
      })
      await workTrees.initialize([])
      expect(await userRepository.updateMirror(signal)).toEqual({ head: null, branches: [] })
    })
  })

  test('has what lies in its work tree, committed or not', async () => {
    const { userRepository, user, write } = await world({ 'src/a.ts': 'a\n', 'gone.txt': 'x\n' })
    write(user.path, { 'new.txt': 'new\n', 'gone.txt': null })
    const paths = ['src/a.ts', 'src', 'src/', 'new.txt', 'gone.txt', 'src/b.ts', 'sr']
    const found = await Promise.all(paths.map((path) => userRepository.has(path)))
    expect(Object.fromEntries(paths.map((path, i) => [path, found[i]]))).toEqual({
      'src/a.ts': true,
      src: true,
      'src/': true,
      'new.txt': true,
      'gone.txt': false,
      'src/b.ts': false,
      sr: false,
    })
  })

  describe('updateMirror', () => {
    test('follows heads, tags and HEAD, also those that were removed or rewritten, and keeps Drydock’s own', async () => {
      const { userRepository, user, mirrorRefs, signal, tip, snapshot } = await ready()
      const { sha: kept } = await snapshot('refs/drydock/kept')
      user.branch('topic')
      user.tag('v1')
      const found = await userRepository.updateMirror(signal)
      expect({ ...found, branches: found.branches.toSorted() }).toEqual({ head: tip, branches: ['main', 'topic'] })
      user.removeBranch('topic')
      user.branch('topic/deeper')
      const aside = user.commitTree(tip, [tip])
      user.tag('v1', aside)
      await userRepository.updateMirror(signal)
      expect(mirrorRefs()).toEqual({
        'refs/drydock/kept': kept,
        'refs/heads/main': tip,
        'refs/heads/topic/deeper': tip,
        'refs/tags/v1': aside,
        'refs/user/HEAD': tip,
      })
      user.removeTag('v1')
      user.removeBranch('topic/deeper')
      await userRepository.updateMirror(signal)
      expect(mirrorRefs()).toEqual({ 'refs/drydock/kept': kept, 'refs/heads/main': tip, 'refs/user/HEAD': tip })
      user.switchTo(aside)
      await userRepository.updateMirror(signal)
      expect(mirrorRefs()).toMatchObject({ 'refs/heads/main': tip, 'refs/user/HEAD': aside })
      user.branch('main', user.commitTree(tip, []))
      await userRepository.updateMirror(signal)
      expect(mirrorRefs()).toMatchObject({ 'refs/heads/main': user.at('main'), 'refs/user/HEAD': aside })
    })

    test('an aborted update rejects with the reason and leaves nothing locked', async () => {
      const { workTrees, userRepository, signal } = await world()
      await workTrees.initialize([])
      const reason = new Error('stop')
      await expect(userRepository.updateMirror(AbortSignal.abort(reason))).rejects.toBe(reason)
      await userRepository.updateMirror(signal)
    })
  })

  describe('reading a commit', () => {
    test('a file, cut at the limit, null where there is none', async () => {
      const { userRepository, user } = await world({
        'a/b.txt': 'hello',
        'a/*.txt': 'star',
        link: { link: 'a/b.txt' },
      })
      const sha = user.at('HEAD') ?? ''
      expect(await userRepository.fileAt(sha, 'a/b.txt', 100)).toBe('hello')
      expect(await userRepository.fileAt(sha, 'a/b.txt', 3)).toBe('hel')
      expect(await userRepository.fileAt(sha, 'a/*.txt', 100)).toBe('star')
      for (const path of ['a', 'link', 'nothing', 'a/b.txt/c', 'link/b.txt'])
        expect(await userRepository.fileAt(sha, path, 100)).toBeNull()
      await expect(userRepository.fileAt('1'.repeat(40), 'a', 100)).rejects.toMatchObject({ code: 'git_failed' })
    })

    test('several files at once, each cut at the limit, also behind one that is much longer', async () => {
      const long = 'x'.repeat(300_000)
      const { userRepository, user } = await world({
        'a.txt': 'hello',
        'b/c.txt': long,
        'd.txt': long,
        link: { link: 'a.txt' },
        'b/out': { link: '/etc' },
      })
      const paths = ['b/c.txt', 'a.txt', 'd.txt', 'link', 'b', 'b/none', 'b/out/passwd', 'none', 'none/x', 'link/x']
      const read = await userRepository.filesAt(user.at('HEAD') ?? '', paths, 10)
      expect(read.map((each) => (typeof each === 'string' ? each : [`${each.bytes}`, each.size]))).toEqual([
        ['xxxxxxxxxx', 300_000],
        ['hello', 5],
        ['xxxxxxxxxx', 300_000],
        'not_a_file',
        'not_a_file',
        'not_a_file',
        'not_a_file',
        'absent',
        'absent',
        'not_a_file',
      ])
    })

    test('what is below folders, with links that are not followed', async () => {
      const { userRepository, user } = await world({
        'a/b/c.txt': '1',
        'a/d.txt': '2',
        'e/f.txt': '3',
        'a/link': { link: '../e' },
        top: { link: 'a' },
      })
      const sha = user.at('HEAD') ?? ''
      expect(await userRepository.entriesBelow(sha, ['a/b', 'a/link', 'none/x', 'top/b'])).toEqual([
        { path: 'a/b/c.txt', isLink: false },
        { path: 'a/link', isLink: true },
        { path: 'top', isLink: true },
      ])
      expect(await userRepository.entriesBelow(sha, ['none'])).toEqual([])
    })
  })

  test('commits that only the mirror has are none of the user’s until they are brought back', async () => {
    const { userRepository, change, tip } = await ready()
    const sha = await change({ 'README.md': 'two\n' })
    expect(await userRepository.parentsOf(sha)).toBeNull()
    await userRepository.takeBack(sha)
    await userRepository.takeBack(sha)
    expect(await userRepository.parentsOf(sha)).toEqual([tip])
    await userRepository.takeBack('1'.repeat(40))
  })

  test('the relations of commits', async () => {
    const { userRepository, user } = await world()
    const root = user.at('HEAD') ?? ''
    const one = user.commitTree(root, [root])
    const two = user.commitTree(one, [one])
    const side = user.commitTree(root, [root, two])
    const alone = user.commitTree(root, [])
    expect(await userRepository.isShallow()).toBe(false)
    expect(await userRepository.parentsOf(side)).toEqual([root, two])
    expect(await userRepository.parentsOf('1'.repeat(40))).toBeNull()
    expect(await userRepository.roots(two)).toEqual([root])
    expect(await userRepository.mergeBase(side, two)).toBe(two)
    expect(await userRepository.mergeBase(root, alone)).toBeNull()
    const { commits, count } = await userRepository.commitsBetween(root, side, 2)
    expect([commits[0], commits.length, count]).toEqual([side, 2, 3])
    expect(await userRepository.commitsBetween(side, one, 2)).toEqual({ commits: [], count: 0 })
    expect(await userRepository.noted()).toEqual(new Set())
    expect(await userRepository.remoteBranch('origin', 'main')).toBeNull()
  })

  test('branches: those with a prefix, and Drydock’s own with the reasons against removing each', async () => {
    const { userRepository, user } = await world()
    const tip = user.at('HEAD') ?? ''
    const ahead = user.commitTree(tip, [tip])
    for (const name of ['drydock/a', 'drydock/a-2', 'other']) user.branch(name)
    user.branch('drydock/b', ahead)
    user.branch('drydock/c', ahead)
    expect(await userRepository.branches('drydock/a')).toEqual(['drydock/a', 'drydock/a-2'])
    user.switchTo('drydock/c')
    expect(await Promise.all([tip, ahead, 'f'.repeat(40)].map(userRepository.holderOf))).toEqual([
      'drydock/a',
      'drydock/b',
      null,
    ])
    const own = await userRepository.ownBranches()
    expect(own).toEqual([
      { name: 'drydock/a', sha: tip, checkedOut: false, elsewhere: 'main' },
      { name: 'drydock/a-2', sha: tip, checkedOut: false, elsewhere: 'main' },
      { name: 'drydock/b', sha: ahead, checkedOut: false, elsewhere: null },
      { name: 'drydock/c', sha: ahead, checkedOut: true, elsewhere: null },
    ])
    user.branch('drydock/a', ahead)
    const removed = []
    for (const branch of own) removed.push(await userRepository.removeBranch(branch))
    expect(removed).toEqual([false, true, true, false])
    expect(await userRepository.branches('drydock/')).toEqual(['drydock/a', 'drydock/c'])
  })

  describe('the working tree', () => {
    const project: Files = {
      '.gitignore': '*.log\n',
      'a.txt': 'a\n',
      'b.txt': 'b\n',
      'dir/c.txt': 'c\n',
      'dir/d.txt': 'd\n',
    }
    const everyKind: Files = {
      'a.txt': 'changed\n',
      'new/deep/e.txt': 'e\n',
      dir: null,
      link: { link: 'a.txt' },
      'b.txt': { executable: 'b\n' },
    }
    const changed = ['a.txt', 'b.txt', 'dir/c.txt', 'dir/d.txt', 'link', 'new/deep/e.txt']
    const after = {
      '.gitignore': '*.log\n',
      'a.txt': 'changed\n',
      'b.txt': { executable: 'b\n' },
      link: { link: 'a.txt' },
      'new/deep/e.txt': 'e\n',
    }

    test('changes that no commit has: tracked paths, and untracked ones with whole folders by name', async () => {
      const { userRepository, user, write } = await world(project)
      expect(await userRepository.uncommitted()).toEqual({ tracked: [], untracked: [] })
      write(user.path, {
        'a.txt': 'edited\n',
        'dir/c.txt': null,
        'dir/new.txt': 'n',
        'x.log': 'ignored',
        'logs/y.log': 'ignored',
        'more/deep/e.txt': 'e',
        'more/f.txt': 'f',
        'ü "x"': '',
      })
      expect(await userRepository.uncommitted()).toEqual({
        tracked: ['a.txt', 'dir/c.txt'],
        untracked: ['dir/new.txt', 'more/', 'ü "x"'],
      })
    })

    test('a snapshot of it has what nothing ignores, and is HEAD itself when nothing differs', async () => {
      const { userRepository, history, user, write, files, mirrorRefs, tip } = await ready(project)
      expect(await userRepository.snapshotUserTree('refs/drydock/user', at)).toEqual({
        sha: tip,
        tree: await history.tree(tip),
      })
      write(user.path, { 'a.txt': 'edited\n', 'dir/c.txt': null, 'x.log': 'ignored', 'new.txt': 'n\n' })
      const { sha } = await userRepository.snapshotUserTree('refs/drydock/user', at)
      expect((await userRepository.snapshotUserTree('refs/drydock/user', at)).sha).toBe(sha)
      expect(mirrorRefs()).toMatchObject({ 'refs/drydock/user': sha })
      expect(files(sha)).toEqual({
        '.gitignore': '*.log\n',
        'a.txt': 'edited\n',
        'b.txt': 'b\n',
        'dir/d.txt': 'd\n',
        'new.txt': 'n\n',
      })
    })

    test('a change is applied to it, uncommitted, again without effect, and where one was killed', async () => {
      const { userRepository, user, write, shown, change, tip } = await ready(project)
      const sha = await change(everyKind)
      write(user.path, { 'dir/c.txt': null, 'a.txt': 'changed\n' })
      expect(await userRepository.applyToUserTree(tip, sha)).toEqual({ applied: true, files: changed })
      expect(shown(user.path)).toEqual(after)
      expect(await userRepository.applyToUserTree(tip, sha)).toEqual({ applied: true, files: changed })
      expect([shown(user.path), user.at('HEAD')]).toEqual([after, tip])
    })

    const inTheWay: Record<string, { files: Files; conflict: string }> = {
      'an edit': { files: { 'a.txt': 'mine\n' }, conflict: 'a.txt' },
      'a deletion': { files: { 'a.txt': null }, conflict: 'a.txt' },
      'a mode': { files: { 'a.txt': { executable: 'a\n' } }, conflict: 'a.txt' },
      'an edit of what is to be deleted': { files: { 'dir/c.txt': 'mine\n' }, conflict: 'dir/c.txt' },
      'an untracked file': { files: { 'new/deep/e.txt': 'mine\n' }, conflict: 'new/deep/e.txt' },
      'a folder': { files: { 'link/mine.txt': 'mine\n' }, conflict: 'link' },
      'a file where a folder is needed': { files: { new: 'mine\n' }, conflict: 'new/deep/e.txt' },
      'a link to another folder': { files: { 'other/x': 'x', new: { link: 'other' } }, conflict: 'new/deep/e.txt' },
    }
    test('a conflicting change of the user refuses the whole change', async () => {
      const { userRepository, user, write, shown, change, tip } = await ready(project)
      const sha = await change(everyKind)
      for (const [what, { files, conflict }] of Object.entries(inTheWay)) {
        write(user.path, files)
        const before = shown(user.path)
        expect(await userRepository.applyToUserTree(tip, sha), what).toEqual({ applied: false, conflicts: [conflict] })
        expect(shown(user.path), what).toEqual(before)
        write(user.path, { ...Object.fromEntries(Object.keys(files).map((path) => [path, null])), ...project })
      }
      write(user.path, { new: null, link: null, other: null })
      expect(await userRepository.applyToUserTree(tip, sha)).toMatchObject({ applied: true })
    })

    test('a commit of the user’s to a touched file refuses a change, one to other files does not', async () => {
      const { userRepository, user, write, shown, change, tip } = await ready(project)
      const sha = await change({ 'a.txt': 'changed\n' })
      write(user.path, { 'b.txt': 'committed\n' })
      user.commitAll()
      write(user.path, { 'dir/c.txt': 'mine\n', 'untracked.txt': 'mine\n' })
      expect(await userRepository.applyToUserTree(tip, sha)).toEqual({ applied: true, files: ['a.txt'] })
      expect(await userRepository.uncommitted()).toEqual({
        tracked: ['a.txt', 'dir/c.txt'],
        untracked: ['untracked.txt'],
      })
      write(user.path, { 'a.txt': 'committed\n' })
      user.commitAll()
      expect(await userRepository.applyToUserTree(tip, sha)).toEqual({ applied: false, conflicts: ['a.txt'] })
      write(user.path, { 'a.txt': 'a\n' })
      expect(await userRepository.applyToUserTree(tip, sha)).toEqual({ applied: false, conflicts: ['a.txt'] })
      expect(shown(user.path)).toMatchObject({ 'b.txt': 'committed\n' })
    })

    test('a folder becomes a file, and a file a folder', async () => {
      const { userRepository, user, shown, workspace, change, tip } = await ready(project)
      const sha = await change({ dir: 'a file\n', 'a.txt': null, 'a.txt/inside': 'x\n' })
      expect(await userRepository.applyToUserTree(tip, sha)).toMatchObject({ applied: true })
      expect(await userRepository.applyToUserTree(tip, sha)).toMatchObject({ applied: true })
      expect(shown(user.path)).toEqual(shown(workspace))
    })
  })
})
