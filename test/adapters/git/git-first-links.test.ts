import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { layoutOf } from '../../../src/adapters/git/layout.ts'
import { linked, packed, whole } from './first-links-world.ts'

test('the first look at a repository copies no object, and keeps each whatever the user does to theirs', async () => {
  const { userRepository, repository, mirror, side, signal, git, gitIn, top } = await packed()
  const refs = await userRepository.updateMirror(signal)
  expect(refs.branches.toSorted()).toEqual(['main', 'side'])
  const { files, linked: shared } = linked(mirror)
  expect([shared, files > 5]).toEqual([files, true])
  git('branch', '--quiet', '-D', 'side')
  git('reflog', 'expire', '--expire=now', '--all')
  git('gc', '--quiet', '--prune=now')
  expect(() => git('cat-file', '-e', side)).toThrow()
  expect(gitIn(mirror, 'cat-file', '-t', side)).toBe('commit')
  expect(whole({ gitIn, mirror })).not.toMatch(/missing|broken|error/)
  renameSync(repository, join(top, 'moved'))
  rmSync(join(top, 'moved'), { recursive: true })
  expect(gitIn(mirror, 'show', `${side}:side.txt`)).toBe('side')
})

test('a checkout has the files of the clone that agents get copies of, and nothing of other branches', async () => {
  const { userRepository, workTrees, side, state, git, gitIn, signal } = await packed()
  await userRepository.updateMirror(signal)
  const sha = git('rev-parse', 'main')
  await workTrees.initialize(['coder-001'])
  await workTrees.prepare({ slot: 'coder-001', tip: sha }, signal)
  const checkout = await workTrees.checkout('verify', sha, signal)
  const packs = join(checkout, '.git', 'objects', 'pack')
  const names = readdirSync(packs).filter((name) => name.endsWith('.pack'))
  // One link each for the clone, the workspace and the checkout.
  expect(names.map((name) => statSync(join(packs, name)).nlink)).toEqual([3])
  expect(() => gitIn(checkout, 'cat-file', '-e', side)).toThrow()
  const workspace = workTrees.path('coder-001')
  expect(linked(join(workspace, '.git')).linked).toBe(0)
  rmSync(layoutOf(state).clones, { recursive: true })
  expect(gitIn(checkout, 'fsck', '--full')).not.toMatch(/missing|broken|error/)
})
