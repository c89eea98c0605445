import { join } from 'node:path'
import { beforeEach, onTestFinished } from 'vitest'
import { createWorkerGit } from '../../src/adapters/git/worker/worker-git.ts'
import type { ControlRepository } from '../../src/ports/hub/control-repository.ts'
import { type makeReadyWorld, makeWorld, readyIn, type World } from '../adapters/git/git-world.ts'
import { serveBareHub } from '../server/bare-hub.ts'

let ofWorker: ((world: World) => World) | null = null

/**
 * In this file, history and work trees are those of a worker, whose hub serves the mirror of the
 * repository over HTTP.
 */
export function asWorkers(): void {
  beforeEach(async () => {
    let control: ControlRepository | null = null
    const hub = await serveBareHub({
      control: { answer: async (...given) => control?.answer(...given) },
    })
    const token = await hub.token('north', 'worker')
    const closing = new AbortController()
    onTestFinished(() => closing.abort(new Error('the test is over')))
    ofWorker = (world) => {
      control = world.control
      const state = join(world.top, 'state of a worker')
      const place = { url: `${hub.url}/git`, token, host: 'north' }
      const own = () => {
        const { environment } = world
        const { history, workTrees } = createWorkerGit({
          ...{ control: place, state, environment, closing: closing.signal },
        })
        return { history, workTrees }
      }
      return { ...world, ...own(), state, another: () => ({ ...world.another(), ...own() }) }
    }
  })
}

/** See makeWorld; gone with the test. */
export function world(...args: Parameters<typeof makeWorld>) {
  const made = makeWorld(...args)
  onTestFinished(() => made.close())
  return ofWorker === null ? made : ofWorker(made)
}

/** See makeReadyWorld; gone with the test. */
export async function ready(...[files, slots]: Parameters<typeof makeReadyWorld>) {
  return readyIn(world(files), slots)
}

/** The snapshot, which was not refused. */
export async function taken(result: ReturnType<Awaited<ReturnType<typeof ready>>['snapshot']>) {
  const made = await result
  if (!made.ok) throw new Error(made.reason)
  return made.snapshot
}
