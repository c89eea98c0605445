import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { layoutOf } from '../../../src/adapters/git/layout.ts'
import { type World, worldOfTest, writeFiles } from './git-world.ts'

/** Of all files of objects below a git directory: the number of those that have a second name. */
function linked(gitDir: string): { readonly files: number; readonly linked: number } {
  const objects = join(gitDir, 'objects')
  const files = readdirSync(objects, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => statSync(join(parentPath, name)))
  return { files: files.length, linked: files.filter(({ nlink }) => nlink > 1).length }
}

/** A history with a branch beside it, all in one pack but the last commit. */
async function packed(): Promise<World & { readonly mirror: string; readonly side: string }> {
  const made = worldOfTest()
  made.git('checkout', '--quiet', '-b', 'side')
  writeFiles(made.repository, { 'side.txt': 'side\n' })
  const side = made.commitAll('side')
  made.git('checkout', '--quiet', 'main')
  made.git('gc', '--quiet')
  writeFiles(made.repository, { 'loose.txt': 'loose\n' })
  made.commitAll('loose')
  await made.workTrees.initialize([])
  return { ...made, side, mirror: layoutOf(made.state).mirror }
}

const whole = ({ gitIn, mirror }: { gitIn: World['gitIn']; mirror: string }) =>
  gitIn(mirror, 'fsck', '--full', '--strict')

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

test('what the user’s repository has as well is not packed once more when the state is tidied', async () => {
  const { userRepository, history, mirror, signal, git, gitIn } = await packed()
  await userRepository.updateMirror(signal)
  const packs = () => readdirSync(join(mirror, 'objects/pack')).filter((name) => name.endsWith('.pack'))
  const [shared = ''] = packs()
  await history.tidy(signal)
  expect(packs()).toContain(shared)
  expect(statSync(join(mirror, 'objects/pack', shared)).nlink).toBe(2)
  // The user has packed anew: what is here is nobody else's, and is packed with the rest.
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
  // As a kill leaves it: a pack without its index, and no ref.
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

test('a checkout has the files of the clone that agents get copies of, and nothing of other branches', async () => {
  const { userRepository, workTrees, side, state, git, gitIn, signal } = await packed()
  await userRepository.updateMirror(signal)
  const sha = git('rev-parse', 'main')
  await workTrees.initialize(['coder-001'])
  await workTrees.prepare({ slot: 'coder-001', tip: sha }, signal)
  const checkout = await workTrees.checkout('verify', sha, signal)
  const packs = join(checkout, '.git', 'objects', 'pack')
  const names = readdirSync(packs).filter((name) => name.endsWith('.pack'))
  // Those of the clone, of the workspace and of the checkout.
  expect(names.map((name) => statSync(join(packs, name)).nlink)).toEqual([3])
  expect(() => gitIn(checkout, 'cat-file', '-e', side)).toThrow()
  const workspace = workTrees.path('coder-001')
  expect(linked(join(workspace, '.git')).linked).toBe(0)
  await workTrees.tidy(signal)
  expect(names.map((name) => statSync(join(packs, name)).nlink)).toEqual([3])
  rmSync(layoutOf(state).clones, { recursive: true })
  expect(gitIn(checkout, 'fsck', '--full')).not.toMatch(/missing|broken|error/)
})
