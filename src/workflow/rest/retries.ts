import { limits } from '../../domain/limits.ts'
import { isHeld, type Run } from '../../domain/run/run.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { load } from '../machines.ts'
import { schedule } from '../run/schedule.ts'
import type { StepDependencies } from '../step-dependencies.ts'
import { resumeStopped } from './resume-stopped.ts'

/** Retries Runs that the infrastructure has stopped, for as long as the process runs. */
export interface Retries {
  begin(): void
  end(): Promise<void>
}

export function createRetries(deps: DecisionDependencies & StepDependencies): Retries {
  const { clock, engine, store, scope } = deps
  const ending = new AbortController()
  let looking: Promise<void> = Promise.resolve()

  async function look(): Promise<void> {
    const stopped = await store.machines({ kind: 'run', states: ['ERROR'] })
    for (const { id } of stopped.filter((run) => scope.has(run.id) && isDue(run))) {
      await engine.transact(async (tx) => {
        const run = await load(tx, 'run', id)
        if (run.state !== 'ERROR' || !isDue(run)) return
        await resumeStopped(tx, deps, run, { models: run.data.models, again: run.data.again ?? null })
        await schedule(tx, deps)
      })
    }
  }

  function isDue(run: Run): boolean {
    const { again } = run.data
    return again != null && !isHeld(run) && Date.parse(again.at) <= clock.now().getTime()
  }

  return {
    begin() {
      looking = (async () => {
        while (!ending.signal.aborted) {
          await clock.sleep(limits.retries.lookMs, { signal: ending.signal, keepsAlive: false })
          // A failed look is followed by the next one.
          await look().catch(() => undefined)
        }
      })().catch(() => undefined)
    },
    async end() {
      ending.abort()
      await looking
    },
  }
}
