import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { makeReadyWorld, type World, writeFiles } from './git-world.ts'

const worlds: World[] = []
afterEach(() => {
  for (const world of worlds.splice(0)) world.close()
})

const project = { 'in/a': 'a\n', 'out/b': 'b\n', 'out/c': 'c\n' }

/** Makes a change in a repository whose user checks out only `in/`, and applies it. */
async function sparse(edit: (workspace: string) => void) {
  const world = await makeReadyWorld(project)
  worlds.push(world)
  const { git, workspace, snapshot, userRepository, tip } = world
  // The world is a copy, so git must refresh its index before it can skip unchanged files.
  git('update-index', '--refresh')
  git('sparse-checkout', 'set', 'in')
  edit(workspace)
  const kept = await snapshot()
  if (!kept.ok) throw new Error(kept.reason)
  return { ...world, apply: () => userRepository.applyToUserTree(tip, kept.snapshot.sha) }
}

describe('a change of files that a sparse checkout leaves out', () => {
  test('is applied: what it writes is there, uncommitted, and the rest stays left out', async () => {
    const { apply, git } = await sparse((at) => writeFiles(at, { 'in/a': 'aa\n', 'out/b': 'bb\n', 'out/new': 'n\n' }))
    const applied = { applied: true, files: ['in/a', 'out/b', 'out/new'] }
    expect(await apply()).toEqual(applied)
    expect(await apply()).toEqual(applied)
    const shown = git('status', '--porcelain').split('\n')
    expect(shown.map((line) => line.trim())).toEqual(['M in/a', 'M out/b', '?? out/new'])
    expect(git('ls-files', '-t')).toContain('S out/c')
  })

  test('is refused with the reason where it deletes one, and nothing is touched', async () => {
    const { apply, git } = await sparse((at) => {
      writeFiles(at, { 'in/a': 'aa\n' })
      rmSync(join(at, 'out/b'))
    })
    expect(await apply()).toEqual({ applied: false, conflicts: ['out/b'], leftOut: ['out/b'] })
    expect(git('status', '--porcelain')).toBe('')
  })

  test('is refused where the user has another file in its place', async () => {
    const { apply, repository } = await sparse((at) => writeFiles(at, { 'out/b': 'bb\n' }))
    writeFiles(repository, { 'out/b': 'mine\n' })
    expect(await apply()).toEqual({ applied: false, conflicts: ['out/b'] })
  })
})

test('the folders of a sparse checkout are told, and none where all is checked out', async () => {
  const world = await makeReadyWorld(project)
  worlds.push(world)
  const { git, userRepository } = world
  expect(await userRepository.sparseCheckout()).toBe(null)
  git('sparse-checkout', 'set', 'in', 'far away')
  expect((await userRepository.sparseCheckout())?.toSorted()).toEqual(['far away', 'in'])
  git('sparse-checkout', 'disable')
  expect(await userRepository.sparseCheckout()).toBe(null)
})
