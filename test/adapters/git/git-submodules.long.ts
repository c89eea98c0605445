import { mkdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createGitPorts } from '../../../src/adapters/git/git-ports.ts'
import { makeBuiltWorld, type World, writeFiles } from './git-world.ts'

const worlds: World[] = []
afterEach(() => {
  for (const world of worlds.splice(0)) world.close()
})

const local = ['-c', 'protocol.file.allow=always']

/** A repository `name` beside the user's with one commit; returns its path. */
function library(world: World, name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(world.top, name)
  mkdirSync(folder)
  world.gitIn(folder, 'init', '--quiet', '--initial-branch=main')
  writeFiles(folder, files)
  commitIn(world, folder)
  return folder
}

function commitIn(world: World, folder: string): string {
  world.gitIn(folder, 'add', '--all')
  world.gitIn(folder, 'commit', '--quiet', '--message', 'a commit')
  return world.gitIn(folder, 'rev-parse', 'HEAD')
}

/** The user's repository with a submodule at `vendor/lib ü`. */
async function given(files: Readonly<Record<string, string>> = { 'lib.txt': 'one\n' }) {
  const path = 'vendor/lib ü'
  const world = makeBuiltWorld(JSON.stringify(['a submodule', files]), (built) => {
    built.git(...local, 'submodule', '--quiet', 'add', library(built, 'lib', files), path)
    built.commitAll('with a submodule')
  })
  worlds.push(world)
  const origin = join(world.top, 'lib')
  const tip = world.git('rev-parse', 'HEAD')
  const commit = world.gitIn(origin, 'rev-parse', 'HEAD')
  const submodules = async (sha: string) => {
    await world.workTrees.initialize([])
    await world.userRepository.updateMirror(world.signal)
    return world.workTrees.submodules(sha, world.signal)
  }
  const cached = (name: string) => join(world.state, 'artifacts/cache/submodules', name)
  return { ...world, origin, path, tip, commit, submodules, cached }
}

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
