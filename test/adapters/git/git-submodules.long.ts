import { existsSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createGitPorts } from '../../../src/adapters/git/git-ports.ts'
import { commitIn, given, inSubmoduleWorlds, library, local, shown } from './git-submodules-world.ts'
import { type World, writeFiles } from './git-world.ts'

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

describe('the submodules of a commit', () => {
  test('have exactly the files of their commit, not those of the submodule’s working tree', async () => {
    const { repository, path, tip, commit, submodules, cached } = await given({ 'lib.txt': 'one\n', 'src/a': 'a' })
    writeFiles(join(repository, path), { 'lib.txt': 'edited\n', 'untracked.txt': 'x' })
    expect(await submodules(tip)).toEqual([{ path, commit, folder: cached(commit) }])
    expect(shown(cached(commit))).toEqual({ 'lib.txt': 'one\n', 'src/': '755', 'src/a': 'a' })
  })

  test('are those of the commit that is asked for, and both stay', async () => {
    const world = await given()
    const { repository, path, tip, commit, submodules, cached } = world
    writeFiles(join(repository, path), { 'lib.txt': 'two\n' })
    const second = commitIn(world, join(repository, path))
    const next = world.commitAll('a newer one')
    expect((await submodules(next)).map(({ folder }) => shown(folder))).toEqual([{ 'lib.txt': 'two\n' }])
    expect((await submodules(tip)).map(({ folder }) => shown(folder))).toEqual([{ 'lib.txt': 'one\n' }])
    expect([commit, second].map((name) => existsSync(cached(name)))).toEqual([true, true])
  })

  test('that are not here are said to be missing, with the command that brings them', async () => {
    const { top, repository, tip, commit, gitIn, environment, signal } = await given()
    const clone = join(top, 'clone')
    gitIn(top, 'clone', '--quiet', repository, clone)
    const { workTrees, userRepository } = createGitPorts({ repository: clone, state: join(top, 'other'), environment })
    await workTrees.initialize([])
    await userRepository.updateMirror(signal)
    const reason = 'The commit of the submodule "vendor/lib ü" is not in this repository: git submodule update --init'
    expect(await workTrees.submodules(tip, signal)).toEqual([{ path: 'vendor/lib ü', commit, folder: null, reason }])
    gitIn(clone, ...local, 'submodule', '--quiet', 'update', '--init')
    const folder = join(top, 'other/artifacts/cache/submodules', commit)
    expect(await workTrees.submodules(tip, signal)).toEqual([{ path: 'vendor/lib ü', commit, folder }])
  })
})
