import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { listing, makeBuiltWorld, type World, writeFiles } from './git-world.ts'

export const worlds: World[] = []

/** Closes the worlds of a test at its end. */
export function inSubmoduleWorlds(): void {
  afterEach(() => {
    for (const world of worlds.splice(0)) world.close()
  })
}

export const local = ['-c', 'protocol.file.allow=always']

/** Creates a repository `name` with one commit next to the user's; returns its path. */
export function library(world: World, name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(world.top, name)
  mkdirSync(folder)
  world.gitIn(folder, 'init', '--quiet', '--initial-branch=main')
  writeFiles(folder, files)
  commitIn(world, folder)
  return folder
}

export function commitIn(world: World, folder: string): string {
  world.gitIn(folder, 'add', '--all')
  world.gitIn(folder, 'commit', '--quiet', '--message', 'a commit')
  return world.gitIn(folder, 'rev-parse', 'HEAD')
}

/** The user's repository with a submodule at `vendor/lib ü`. */
export async function given(files: Readonly<Record<string, string>> = { 'lib.txt': 'one\n' }) {
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

export const shown = (folder: string | null | undefined) =>
  Object.fromEntries(
    Object.entries(listing(folder ?? '')).map(([path, what]) => [
      path,
      what.includes(' ') && !what.startsWith('link')
        ? Buffer.from(what.split(' ')[2] ?? '', 'base64').toString()
        : what,
    ]),
  )
