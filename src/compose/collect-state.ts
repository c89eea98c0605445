import type { Database } from '../adapters/store/database.ts'
import type { Drydock } from '../app/drydock.ts'
import { createDependencyLayers } from '../gate/layers/dependency-layers.ts'
import { type Collected, collectGarbage } from '../workflow/run/collect-garbage.ts'
import { alone } from '../workflow/share.ts'

interface Collecting {
  /** Of the owner, which this process holds. */
  readonly lock: { release(): void }
  readonly database: Database
  readonly signal: AbortSignal
}

/** Removes what is no longer kept, as the owner of the state, but without taking its work up. */
export async function collectState(drydock: Drydock, { lock, database, signal }: Collecting): Promise<Collected> {
  const { clock, sandbox, history, workTrees, blobs, foreign } = drydock
  await using closing = new AsyncDisposableStack()
  closing.defer(() => lock.release())
  const store = await database.open({ owner: true })
  closing.defer(() => store.close())
  const artifacts = drydock.openArtifacts()
  const layers = createDependencyLayers({ history, workTrees, artifacts, sandbox })
  await artifacts.removeUnfinished()
  const { homes } = foreign
  const { transact } = store
  const deps = { share: alone, artifacts, store, clock, layers, history, workTrees, homes, blobs, transact }
  const collected = await collectGarbage(deps, clock.now(), signal)
  await history.tidy(signal)
  await workTrees.tidy(signal)
  return collected
}
