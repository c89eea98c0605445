import { rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createGitPorts } from '../../../src/adapters/git/git-ports.ts'
import { given, inSubmoduleWorlds, library, local } from './git-submodules-world.ts'
import type { World } from './git-world.ts'

inSubmoduleWorlds()

describe('the submodules of a commit', () => {
  test('are written once; later only the time of use changes, and the submodule is not needed any more', async () => {
    const { repository, tip, commit, submodules, cached } = await given()
    await submodules(tip)
    const { ino } = statSync(cached(commit))
    utimesSync(cached(commit), 1, 1)
    rmSync(join(repository, '.git/modules'), { recursive: true })
    expect(await submodules(tip)).toMatchObject([{ folder: cached(commit) }])
    expect(statSync(cached(commit)).ino).toBe(ino)
    expect(statSync(cached(commit)).mtimeMs).toBeGreaterThan(Date.now() - 60_000)
  })

  test('are made by one of several that ask at once', async () => {
    const { tip, commit, submodules, cached, repository, state, environment, signal } = await given()
    await submodules(tip)
    rmSync(join(state, 'artifacts'), { recursive: true })
    const others = [1, 2, 3].map(() => createGitPorts({ repository, state, environment }))
    const found = await Promise.all(others.map((one) => one.workTrees.submodules(tip, signal)))
    expect(found.flat().map(({ folder }) => folder)).toEqual([1, 2, 3].map(() => cached(commit)))
  })

  test('of a linked worktree, and one with a git directory of its own, are found', async () => {
    const world = await given()
    const { top, repository, tip, commit, state, environment, signal, gitIn } = world
    const linked = join(top, 'linked')
    world.git('worktree', 'add', '--quiet', '--detach', linked)
    gitIn(linked, ...local, 'submodule', '--quiet', 'update', '--init')
    rmSync(join(repository, '.git/modules'), { recursive: true })
    rmSync(join(repository, world.path), { recursive: true })
    const { workTrees, userRepository } = createGitPorts({ repository: linked, state, environment })
    await workTrees.initialize([])
    await userRepository.updateMirror(signal)
    expect(await workTrees.submodules(tip, signal)).toMatchObject([{ folder: world.cached(commit) }])

    rmSync(join(state, 'artifacts'), { recursive: true })
    gitIn(top, 'clone', '--quiet', world.origin, join(repository, world.path))
    expect(await world.submodules(tip)).toMatchObject([{ folder: world.cached(commit) }])
  })
})

describe('a hostile tree', () => {
  test('may have a link on the way to a submodule, which is not followed', async () => {
    const world = await given()
    const secret = library(world, 'secret', { 'key.txt': 'secret\n' })
    const stolen = world.gitIn(secret, 'rev-parse', 'HEAD')
    symlinkSync(world.top, join(world.repository, 'link'))
    world.git('update-index', '--add', '--cacheinfo', `160000,${stolen},link/secret`)
    world.git('commit', '--quiet', '--message', 'hostile')
    const found = await world.submodules(world.git('rev-parse', 'HEAD'))
    expect(found.find((one) => one.commit === stolen)).toMatchObject({ path: 'link/secret', folder: null })
  })

  test('whose submodule git will not write is a reason', async () => {
    const world = await given()
    const { origin, repository, path, submodules } = world
    const blob = world.gitIn(origin, 'rev-parse', 'HEAD:lib.txt')
    const entry = `100644 blob ${blob}\t.git\n`
    writeFileSync(join(world.top, 'entry'), entry)
    const tree = world.gitIn(
      origin,
      '-c',
      'core.protectNTFS=false',
      'hash-object',
      '-t',
      'tree',
      '-w',
      '--literally',
      rawTree(world, blob),
    )
    const commit = world.gitIn(origin, 'commit-tree', tree, '-m', 'bad')
    world.gitIn(origin, 'update-ref', 'refs/heads/main', commit)
    world.gitIn(join(repository, path), '-c', 'fetch.fsckObjects=false', 'fetch', '--quiet')
    world.git('update-index', '--cacheinfo', `160000,${commit},${path}`)
    world.git('commit', '--quiet', '--message', 'hostile')
    expect(await submodules(world.git('rev-parse', 'HEAD'))).toEqual([
      { path, commit, folder: null, reason: expect.stringMatching(/"vendor\/lib ü" cannot be written: .*\.git/) },
    ])
  })
})

/** A file with a tree that has an entry `.git`. */
function rawTree(world: World, blob: string): string {
  const file = join(world.top, 'tree')
  writeFileSync(file, Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]))
  return file
}
