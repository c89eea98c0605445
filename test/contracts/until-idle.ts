import type { Engine } from '../../src/ports/engine.ts'
import type { JobStore } from '../../src/ports/jobs.ts'

/** Resolves when no job is left: checks again at every commit that the engine reports. */
export async function untilIdle(engine: Pick<Engine, 'onCommit'>, store: Pick<JobStore, 'jobs'>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = async () => {
    if ((await store.jobs()).length === 0) resolve()
  }
  const stopListening = engine.onCommit(() => void look())
  await look()
  await promise
  stopListening()
}
