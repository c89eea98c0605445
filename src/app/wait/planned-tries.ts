import { limits } from '../../domain/limits.ts'
import type { Result } from '../../domain/run/result.ts'
import { isEnded, isHeld } from '../../domain/run/run.ts'
import { sentence } from '../../domain/sentence.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Records } from '../../ports/store.ts'
import { describeAgain } from '../text/describe-again.ts'
import { runsOf } from './waits-for.ts'

/** Announces each planned retry of a Run that the infrastructure has stopped, once. */
export interface PlannedTries {
  /** True if the process that works on the Runs will retry one of these results. */
  areAhead(records: Records, results: ReadonlyMap<string, Result>): Promise<boolean>
}

interface Telling {
  readonly onNote: (text: string) => void
  /** The clock of the retrying process; null for another machine, whose clock may differ. */
  readonly clock: Pick<Clock, 'now'> | null
}

export function createPlannedTries({ onNote, clock }: Telling): PlannedTries {
  const told = new Set<string>()
  return {
    async areAhead(records, results) {
      const stopped = [...results].filter(([, { error }]) => error !== undefined).map(([run]) => run)
      if (stopped.length === 0) return false
      const runs = await runsOf(records, stopped)
      // A retry may have begun since the result was read.
      let isAhead = runs.some(({ state }) => state !== 'ERROR' && !isEnded(state))
      for (const { id, data } of runs.filter((run) => run.state === 'ERROR' && !isHeld(run))) {
        const { again = null, error } = data
        // Nobody will make an overdue retry: the process that planned it has ended.
        if (again === null || (clock !== null && clock.now().getTime() > Date.parse(again.at) + overdueMs)) continue
        isAhead = true
        if (told.has(`${id} ${again.at}`)) continue
        told.add(`${id} ${again.at}`)
        onNote(sentence`${error?.message ?? 'The infrastructure has stopped it'}. ${id} ${describeAgain(again)}`)
      }
      return isAhead
    },
  }
}

const overdueMs = 4 * limits.retries.lookMs
