import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { makeReadyWorld } from './git-world.ts'

/** A ready world that is closed with the test. */
export async function ready(...given: Parameters<typeof makeReadyWorld>) {
  const world = await makeReadyWorld(...given)
  onTestFinished(() => world.close())
  return world
}

/** The checkout's git output without the mirror. */
export async function alone(world: Awaited<ReturnType<typeof ready>>, sha: string) {
  const path = await world.workTrees.checkout('coder-001', sha, world.signal)
  const mirror = join(world.state, 'mirror.git')
  renameSync(mirror, `${mirror}.away`)
  const git = (...args: string[]) => world.gitIn(path, ...args)
  const found = {
    problems: git('fsck', '--full', '--strict', '--no-dangling'),
    commits: git('rev-list', '--count', 'HEAD'),
    tags: git('tag', '--list').split('\n').filter(Boolean),
    head: git('rev-parse', 'HEAD'),
    status: git('status', '--porcelain'),
  }
  renameSync(`${mirror}.away`, mirror)
  return found
}
