import { join } from 'node:path'
import { createWorkerGit } from '../../../src/adapters/git/worker/worker-git.ts'
import { serveBareHub } from '../../server/bare-hub.ts'
import type { Files, GitWorld } from './git-world.ts'
import { portsOf, realGitWorld, worldWith } from './real-git-world.ts'

/**
 * A world of real git with a worker's history and work trees; the worker's hub serves the
 * repository's mirror over HTTP.
 */
export async function createWorkerGitWorld(files: Files): Promise<GitWorld> {
  const world = worldWith(files)
  const hub = await serveBareHub({ control: world.control })
  const token = await hub.token('north', 'worker')
  const closing = new AbortController()
  const state = join(world.top, 'state of a worker')
  const own = () => {
    const place = { urls: () => [`${hub.url}/git`], token, host: 'north' }
    const { history, workTrees } = createWorkerGit({
      control: place,
      state,
      environment: world.environment,
      closing: closing.signal,
    })
    return { history, workTrees }
  }
  return {
    ...realGitWorld(world, state),
    ...portsOf(world),
    ...own(),
    another: () => ({ ...portsOf(world.another()), ...own() }),
    async close() {
      closing.abort(new Error('the test is over'))
      world.close()
    },
  }
}
