import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { layoutOf } from '../../../src/adapters/git/layout.ts'
import { linked, packed, whole } from './first-links-world.ts'

test('objects that the user’s repository also has are not packed again when the state is tidied', async () => {
  const { userRepository, history, mirror, signal, git, gitIn } = await packed()
  await userRepository.updateMirror(signal)
  const packs = () => readdirSync(join(mirror, 'objects/pack')).filter((name) => name.endsWith('.pack'))
  const [shared = ''] = packs()
  await history.tidy(signal)
  expect(packs()).toContain(shared)
  expect(statSync(join(mirror, 'objects/pack', shared)).nlink).toBe(2)
  // After the user's repack the old pack has no other link, and is packed with the rest.
  git('gc', '--quiet', '--prune=now')
  expect(statSync(join(mirror, 'objects/pack', shared)).nlink).toBe(1)
  await history.tidy(signal)
  expect(packs()).toHaveLength(1)
  expect(packs()).not.toContain(shared)
  expect(whole({ gitIn, mirror })).not.toMatch(/missing|broken|error/)
})

test('a first look that was cut off is done again', async () => {
  const { userRepository, repository, mirror, signal, gitIn } = await packed()
  await userRepository.updateMirror(signal)
  const pack = join(mirror, 'objects', 'pack')
  // A kill leaves a pack without its index, and no ref.
  for (const name of readdirSync(pack)) if (name.endsWith('.idx')) rmSync(join(pack, name))
  for (const name of ['refs/heads', 'refs/user', 'packed-refs'])
    rmSync(join(mirror, name), { recursive: true, force: true })
  await userRepository.updateMirror(signal)
  expect(whole({ gitIn, mirror })).not.toMatch(/missing|broken|error/)
  expect(gitIn(mirror, 'rev-parse', 'main')).toBe(gitIn(repository, 'rev-parse', 'main'))
})

test.each([
  ['borrows its objects', ['--shared']],
  ['is shallow', ['--depth=1', '--no-local']],
])('a clone that %s is fetched, and is whole', async (_what, options) => {
  const { top, repository, gitIn, another: _, ...made } = await packed()
  const clone = join(top, 'clone')
  gitIn(top, 'clone', '--quiet', ...options, repository, clone)
  const { createGitPorts } = await import('../../../src/adapters/git/git-ports.ts')
  const state = join(top, 'state-of-clone')
  const ports = createGitPorts({ repository: clone, state, environment: made.environment })
  await ports.workTrees.initialize([])
  await ports.userRepository.updateMirror(made.signal)
  const { mirror } = layoutOf(state)
  expect(linked(mirror).linked).toBe(0)
  expect(whole({ gitIn, mirror })).not.toMatch(/missing|broken|error/)
})
