import type { StandingRun } from '../../api/views/follow.ts'
import { limits } from '../../domain/limits.ts'
import type { Result } from '../../domain/run/result.ts'
import { sentence } from '../../domain/sentence.ts'
import type { Clock } from '../../ports/clock.ts'
import { describeAgain } from '../text/describe-again.ts'

/** Announces each planned retry of a Run that the infrastructure has stopped, once. */
export interface PlannedTries {
  /** True if the process that works on the Runs will retry one of these results. */
  areAhead(runs: readonly StandingRun[], results: ReadonlyMap<string, Result>): boolean
}

interface Telling {
  readonly onNote: (text: string) => void
  /** The clock of the retrying process; null for another machine, whose clock may differ. */
  readonly clock: Pick<Clock, 'now'> | null
}

export function createPlannedTries({ onNote, clock }: Telling): PlannedTries {
  const told = new Set<string>()
  return {
    areAhead(all, results) {
      const runs = all.filter(({ run }) => results.get(run)?.error !== undefined)
      // The next try has begun since the result was read.
      let isAhead = runs.some(({ state, ended }) => state !== 'ERROR' && !ended)
      for (const { run: id, again, error } of runs.filter(({ state, held }) => state === 'ERROR' && !held)) {
        // Nobody will make an overdue retry: the process that planned it has ended.
        if (again === null || (clock !== null && clock.now().getTime() > Date.parse(again.at) + overdueMs)) continue
        isAhead = true
        if (told.has(`${id} ${again.at}`)) continue
        told.add(`${id} ${again.at}`)
        onNote(sentence`${error ?? 'The infrastructure has stopped it'}. ${id} ${describeAgain(again)}`)
      }
      return isAhead
    },
  }
}

const overdueMs = 4 * limits.retries.lookMs
