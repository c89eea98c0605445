import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { userPath } from '../../../src/adapters/git/raw-path.ts'
import { at, makeReadyWorld, writeFiles } from './git-world.ts'

type Edit = (repository: string) => void

/** Two branches of the user's repository, each with one commit on the tip. */
async function diverged(files: Readonly<Record<string, string>>, ours: Edit, theirs: Edit) {
  const made = await makeReadyWorld(files)
  onTestFinished(() => made.close())
  const commitOn = (branch: string, edit: Edit) => {
    made.git('checkout', '--quiet', '-b', branch, made.tip)
    edit(made.repository)
    return made.commitAll(branch)
  }
  const sides = { ours: commitOn('ours', ours), theirs: commitOn('theirs', theirs) }
  made.git('checkout', '--quiet', 'main')
  await made.userRepository.updateMirror(made.signal)
  const inMirror = (...args: string[]) => made.gitIn(join(made.state, 'mirror.git'), ...args)
  return { ...made, sides, inMirror, merged: () => made.history.merge(sides) }
}
const writes =
  (files: Readonly<Record<string, string>>): Edit =>
  (repository) =>
    writeFiles(repository, files)

test('a merge of two commits of a submodule is not clean', async () => {
  const { history, userRepository, git, tip, signal, ...world } = await makeReadyWorld({ 'a.txt': 'a\n' })
  onTestFinished(() => world.close())
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
  await userRepository.updateMirror(signal)
  expect(await history.merge({ ours, theirs })).toMatchObject({ clean: false, conflicts: ['sub'] })
})

test('no attribute of the trees, of the mirror’s branch or of the user hides a conflict', async () => {
  const attributes = '*.union merge=union\n*.binary binary\n*.unset -merge\n*.own merge=own\n* conflict-marker-size=3\n'
  const of = (word: string) =>
    Object.fromEntries(['union', 'binary', 'unset', 'own'].map((kind) => [`a.${kind}`, `${word}\n`]))
  const { history, git, state, top, environment, sides, merged, inMirror } = await diverged(
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
  expect(await history.merge(sides)).toEqual(result)
})

test('conflict markers are found in a file whose name is not UTF-8, and among more paths than a command takes', async () => {
  const odd = (r: string, content: string) => writeFileSync(userPath(r, '\xff.txt'), content)
  const { history, merged, tip } = await diverged(
    { 'a.txt': 'a\n' },
    (r) => odd(r, 'ours\n'),
    (r) => odd(r, 'theirs\n'),
  )
  const result = await merged()
  const conflicts = result.clean ? [] : result.conflicts
  expect(conflicts).toEqual(['\ufffd.txt'])
  const sha = await history.commit({
    tree: result.tree,
    parents: [tip],
    message: 'm',
    ref: 'refs/drydock/merge/1',
    at,
  })
  expect(await history.conflictMarkers(sha, conflicts)).toEqual(conflicts)
  const many = Array.from({ length: 20_000 }, (_, i) => `${'x'.repeat(200)}${i}`)
  expect(await history.conflictMarkers(sha, [...many, ...conflicts])).toEqual(conflicts)
  expect(await history.conflictMarkers(sha, many)).toEqual([])
  expect(await history.conflictMarkers(tip, conflicts)).toEqual([])
})
