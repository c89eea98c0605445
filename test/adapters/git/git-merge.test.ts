import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { userPath } from '../../../src/adapters/git/raw-path.ts'
import { at, listing, makeReadyWorld, writeFiles } from './git-world.ts'

const opened: { close(): void }[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one.close()
})

type Edit = (repository: string) => void

/** Two branches of the user's repository, each with one commit on the tip. */
async function diverged(files: Readonly<Record<string, string>>, ours: Edit, theirs: Edit) {
  const made = await makeReadyWorld(files)
  opened.push(made)
  const commitOn = (branch: string, edit: Edit) => {
    made.git('checkout', '--quiet', '-b', branch, made.tip)
    edit(made.repository)
    return made.commitAll(branch)
  }
  const sides = { ours: commitOn('ours', ours), theirs: commitOn('theirs', theirs) }
  made.git('checkout', '--quiet', 'main')
  await made.workspaces.updateMirror(made.signal)
  const inMirror = (...args: string[]) => made.gitIn(join(made.state, 'mirror.git'), ...args)
  return { ...made, sides, inMirror, merged: () => made.workspaces.merge(sides) }
}
const writes =
  (files: Readonly<Record<string, string>>): Edit =>
  (repository) =>
    writeFiles(repository, files)

const lines = 'one\ntwo\nthree\nfour\nfive\n'

describe('merge', () => {
  test('of changes that are apart is clean, also when one side renames what the other edits', async () => {
    const { merged, inMirror } = await diverged(
      { 'a.txt': lines, 'b.txt': lines },
      (r) => {
        writeFiles(r, { 'b.txt': lines.replace('one', 'ONE') })
        renameSync(join(r, 'a.txt'), join(r, 'renamed.txt'))
      },
      writes({ 'a.txt': lines.replace('five', 'FIVE'), 'b.txt': lines.replace('five', 'FIVE'), 'new.txt': 'new\n' }),
    )
    const result = await merged()
    expect(result).toEqual({ clean: true, tree: expect.stringMatching(/^[0-9a-f]{40}$/) })
    expect(await merged()).toEqual(result)
    expect(inMirror('ls-tree', '--name-only', result.tree).split('\n')).toEqual(['b.txt', 'new.txt', 'renamed.txt'])
    expect(inMirror('show', `${result.tree}:b.txt`)).toBe('ONE\ntwo\nthree\nfour\nFIVE')
    expect(inMirror('show', `${result.tree}:renamed.txt`)).toBe('one\ntwo\nthree\nfour\nFIVE')
  })

  test('of a commit with one that it comes from is that commit', async () => {
    const { workspaces, sides, tip } = await diverged(
      { 'a.txt': lines },
      writes({ 'a.txt': 'a\n' }),
      writes({ b: 'b\n' }),
    )
    const clean = { clean: true, tree: await workspaces.tree(sides.theirs) }
    expect(await workspaces.merge({ ours: tip, theirs: sides.theirs })).toEqual(clean)
    expect(await workspaces.merge({ ours: sides.theirs, theirs: tip })).toEqual(clean)
  })

  test('of two edits of the same lines leaves the two between markers and says where', async () => {
    const { workspaces, merged, inMirror, sides } = await diverged(
      { 'b.txt': lines, 'a.txt': lines, 'c.txt': lines },
      writes({ 'b.txt': lines.replace('two', 'ours'), 'a.txt': lines.replace('two', 'ours') }),
      writes({ 'b.txt': lines.replace('two', 'theirs'), 'a.txt': lines.replace('two', 'theirs'), 'c.txt': 'c\n' }),
    )
    const result = await merged()
    expect(result).toEqual({
      clean: false,
      tree: expect.stringMatching(/^[0-9a-f]{40}$/),
      conflicts: ['a.txt', 'b.txt'],
      explanation: 'CONFLICT (content): Merge conflict in a.txt\nCONFLICT (content): Merge conflict in b.txt',
    })
    expect(await workspaces.merge(sides)).toEqual(result)
    expect(inMirror('show', `${result.tree}:a.txt`)).toBe(
      `one\n<<<<<<< ${sides.ours}\nours\n=======\ntheirs\n>>>>>>> ${sides.theirs}\nthree\nfour\nfive`,
    )
    expect(inMirror('show', `${result.tree}:c.txt`)).toBe('c')
  })

  const binary = (byte: string) => `\0${byte}\n`.repeat(20)
  const kinds: Record<string, { files: Record<string, string>; ours: Edit; theirs: Edit; conflicts: unknown }> = {
    'two binary files': {
      files: { 'x.bin': binary('a') },
      ours: writes({ 'x.bin': binary('b') }),
      theirs: writes({ 'x.bin': binary('c') }),
      conflicts: ['x.bin'],
    },
    'a deletion and an edit': {
      files: { 'a.txt': lines, 'b.txt': 'b\n' },
      ours: (r) => rmSync(join(r, 'a.txt')),
      theirs: writes({ 'a.txt': `${lines}six\n` }),
      conflicts: ['a.txt'],
    },
    'two renames of the same file': {
      files: { 'a.txt': lines },
      ours: (r) => renameSync(join(r, 'a.txt'), join(r, 'b.txt')),
      theirs: (r) => renameSync(join(r, 'a.txt'), join(r, 'c.txt')),
      conflicts: ['a.txt', 'b.txt', 'c.txt'],
    },
    'two renames to the same place': {
      files: { 'a.txt': lines, 'b.txt': lines.replaceAll('\n', '!\n') },
      ours: (r) => renameSync(join(r, 'a.txt'), join(r, 'c.txt')),
      theirs: (r) => renameSync(join(r, 'b.txt'), join(r, 'c.txt')),
      conflicts: expect.arrayContaining(['c.txt']),
    },
    'a file and a folder of one name': {
      files: { 'a.txt': 'a\n' },
      ours: writes({ x: 'a file\n' }),
      theirs: writes({ 'x/y.txt': 'in a folder\n' }),
      conflicts: [expect.stringMatching(/^x~[0-9a-f]{40}$/)],
    },
    'two new files of one name': {
      files: { 'a.txt': 'a\n' },
      ours: writes({ 'n\new\n.txt': 'ours\n' }),
      theirs: writes({ 'n\new\n.txt': 'theirs\n' }),
      conflicts: ['n\new\n.txt'],
    },
    'two links': {
      files: { 'a.txt': 'a\n' },
      ours: (r) => symlinkSync('a.txt', join(r, 'link')),
      theirs: (r) => symlinkSync('b.txt', join(r, 'link')),
      conflicts: expect.arrayContaining([expect.stringMatching(/^link/)]),
    },
    'a link and a mode': {
      files: { 'a.txt': 'a\n', 'b.txt': 'b\n' },
      ours: (r) => {
        rmSync(join(r, 'a.txt'))
        symlinkSync('b.txt', join(r, 'a.txt'))
      },
      theirs: (r) => chmodSync(join(r, 'a.txt'), 0o755),
      conflicts: expect.arrayContaining([expect.stringMatching(/^a\.txt/)]),
    },
  }
  for (const [what, { files, ours, theirs, conflicts }] of Object.entries(kinds))
    test(`of ${what} is not clean, and the tree with it can be worked in`, async () => {
      const { workspaces, merged, tip, signal, workspace } = await diverged(files, ours, theirs)
      const result = await merged()
      expect(result).toEqual({
        clean: false,
        tree: expect.any(String),
        conflicts,
        explanation: expect.stringMatching(/^CONFLICT \(/m),
      })
      const sha = await workspaces.commit({
        tree: result.tree,
        parents: [tip],
        message: 'm',
        ref: 'refs/drydock/merge/1',
        at,
      })
      await workspaces.prepare({ slot: 'coder-001', tip, tree: sha }, signal)
      expect(readdirSync(workspace).length).toBeGreaterThan(1)
    })

  test('of two commits of a submodule is not clean', async () => {
    const { workspaces, git, tip, signal } = await diverged(
      { 'a.txt': 'a\n' },
      () => {},
      () => {},
    )
    const commits = ['1', '2', '3'].map((digit) => {
      git('read-tree', tip)
      git('update-index', '--add', '--cacheinfo', `160000,${digit.repeat(40)},sub`)
      return git('write-tree')
    })
    const [base = '', ...sides] = commits
    const root = git('commit-tree', base, '-p', tip, '-m', 'base')
    const [ours = '', theirs = ''] = sides.map((tree) => git('commit-tree', tree, '-p', root, '-m', 'side'))
    git('tag', 'ours-tag', ours)
    git('tag', 'theirs-tag', theirs)
    await workspaces.updateMirror(signal)
    expect(await workspaces.merge({ ours, theirs })).toMatchObject({ clean: false, conflicts: ['sub'] })
  })

  test('no attribute of the trees, of the mirror’s branch or of the user hides a conflict', async () => {
    const attributes =
      '*.union merge=union\n*.binary binary\n*.unset -merge\n*.own merge=own\n* conflict-marker-size=3\n'
    const of = (word: string) =>
      Object.fromEntries(['union', 'binary', 'unset', 'own'].map((kind) => [`a.${kind}`, `${word}\n`]))
    const { workspaces, git, state, top, environment, sides, merged, inMirror } = await diverged(
      { '.gitattributes': attributes, ...of('base') },
      writes(of('ours')),
      writes(of('theirs')),
    )
    writeFileSync(join(top, 'attributes'), attributes)
    git('config', '--global', 'core.attributesFile', join(top, 'attributes'))
    git('config', '--global', 'merge.own.driver', 'true')
    expect(environment.GIT_CONFIG_GLOBAL).toContain(top)
    writeFileSync(join(state, 'mirror.git', 'HEAD'), 'ref: refs/heads/main\n')
    const conflicts = ['a.binary', 'a.own', 'a.union', 'a.unset']
    const result = await merged()
    expect(result).toMatchObject({ clean: false, conflicts })
    for (const path of conflicts)
      expect(inMirror('show', `${result.tree}:${path}`)).toBe(
        `<<<<<<< ${sides.ours}\nours\n=======\ntheirs\n>>>>>>> ${sides.theirs}`,
      )
    expect(await workspaces.merge(sides)).toEqual(result)
  })

  test('of commits without common history is an error', async () => {
    const { workspaces, git, tip, signal } = await diverged(
      { 'a.txt': 'a\n' },
      () => {},
      () => {},
    )
    const alone = git('commit-tree', `${tip}^{tree}`, '-m', 'alone')
    git('tag', 'alone', alone)
    await workspaces.updateMirror(signal)
    await expect(workspaces.merge({ ours: tip, theirs: alone })).rejects.toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining('unrelated histories'),
    })
  })
})

describe('conflictMarkers', () => {
  const left = (marker: string) => `a\n${marker} branch\nb\n`

  test('names the files that still hold a marker, in the order they were asked for', async () => {
    const made = await makeReadyWorld({
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
    opened.push(made)
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
    expect(await made.workspaces.conflictMarkers(made.tip, [...paths, 'folder', 'nowhere'])).toEqual([
      ...['n\n*.txt', 'end.txt', 'begin.txt', 'crlf.txt', '-e'],
    ])
    expect(await made.workspaces.conflictMarkers(made.tip, ['fine.txt'])).toEqual([])
    expect(await made.workspaces.conflictMarkers(made.tip, [])).toEqual([])
  })

  test('finds those of a merge in a file whose name is not UTF-8, and among more paths than a command takes', async () => {
    const odd = (r: string, content: string) => writeFileSync(userPath(r, '\xff.txt'), content)
    const { workspaces, merged, tip } = await diverged(
      { 'a.txt': 'a\n' },
      (r) => odd(r, 'ours\n'),
      (r) => odd(r, 'theirs\n'),
    )
    const result = await merged()
    const conflicts = result.clean ? [] : result.conflicts
    expect(conflicts).toEqual(['\ufffd.txt'])
    const sha = await workspaces.commit({
      tree: result.tree,
      parents: [tip],
      message: 'm',
      ref: 'refs/drydock/merge/1',
      at,
    })
    expect(await workspaces.conflictMarkers(sha, conflicts)).toEqual(conflicts)
    const many = Array.from({ length: 20_000 }, (_, i) => `${'x'.repeat(200)}${i}`)
    expect(await workspaces.conflictMarkers(sha, [...many, ...conflicts])).toEqual(conflicts)
    expect(await workspaces.conflictMarkers(sha, many)).toEqual([])
    expect(await workspaces.conflictMarkers(tip, conflicts)).toEqual([])
  })
})

test('a workspace gets the files of a merge with its markers, and a HEAD at the story’s own commit', async () => {
  const { workspaces, workspace, sides, merged, signal, git, gitIn } = await diverged(
    { 'a.txt': lines, 'b.txt': 'b\n' },
    writes({ 'a.txt': lines.replace('two', 'ours'), 'ours.txt': 'ours\n' }),
    writes({ 'a.txt': lines.replace('two', 'theirs'), 'theirs.txt': 'theirs\n' }),
  )
  const { tree } = await merged()
  const parents = [sides.ours, sides.theirs]
  const marked = await workspaces.commit({ tree, parents, message: 'Merge', ref: 'refs/drydock/merge/1', at })
  await workspaces.prepare({ slot: 'coder-001', tip: sides.theirs, tree: marked }, signal)
  expect(Object.keys(listing(workspace))).toEqual(['a.txt', 'b.txt', 'ours.txt', 'theirs.txt'])
  expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toContain(`<<<<<<< ${sides.ours}\nours\n`)
  expect(gitIn(workspace, 'rev-parse', 'HEAD')).toBe(sides.theirs)
  expect(gitIn(workspace, 'status', '--porcelain')).toBe(' M a.txt\n?? ours.txt')

  writeFiles(workspace, { 'a.txt': lines.replace('two', 'both') })
  const input = { slot: 'coder-001', parents, ref: 'refs/drydock/story/1', message: 'Resolved', at }
  const resolved = await workspaces.snapshot({ ...input, last: null }, signal)
  if (!resolved.ok) throw new Error(resolved.reason)
  const { sha } = resolved.snapshot
  expect(await workspaces.conflictMarkers(marked, ['a.txt'])).toEqual(['a.txt'])
  expect(await workspaces.conflictMarkers(sha, ['a.txt'])).toEqual([])
  const later = new Date(at.getTime() + 5_000)
  expect(await workspaces.snapshot({ ...input, last: sha, at: later }, signal)).toEqual(resolved)
  const other = await workspaces.snapshot({ ...input, parents: [sides.ours], last: sha }, signal)
  expect(other).toMatchObject({ ok: true, snapshot: { tree: resolved.snapshot.tree } })
  expect(other).not.toEqual(resolved)
  await workspaces.publish('drydock/x', sha, null)
  expect(git('rev-parse', 'drydock/x^1', 'drydock/x^2').split('\n')).toEqual(parents)
})
