import { limits } from '../../domain/limits.ts'
import type { Result } from '../../domain/run/result.ts'
import { isEnded, isHeld } from '../../domain/run/run.ts'
import { sentence } from '../../domain/sentence.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Records } from '../../ports/store.ts'
import { describeAgain } from '../text/describe-again.ts'
import { runsOf } from './waits-for.ts'

/** Tells of each next try of a Run that the infrastructure has stopped, once. */
export interface PlannedTries {
  /** True if the process that works on the Runs tries one of these results again by itself. */
  areAhead(records: Records, results: ReadonlyMap<string, Result>): Promise<boolean>
}

interface Telling {
  readonly onNote: (text: string) => void
  /** The clock of the process that tries; null for that of another machine, which may differ. */
  readonly clock: Pick<Clock, 'now'> | null
}

export function createPlannedTries({ onNote, clock }: Telling): PlannedTries {
  const told = new Set<string>()
  return {
    async areAhead(records, results) {
      const stopped = [...results].filter(([, { error }]) => error !== undefined).map(([run]) => run)
      if (stopped.length === 0) return false
      const runs = await runsOf(records, stopped)
      // Its next try has begun since the result was read.
      let isAhead = runs.some(({ state }) => state !== 'ERROR' && !isEnded(state))
      for (const { id, data } of runs.filter((run) => run.state === 'ERROR' && !isHeld(run))) {
        const { again = null, error } = data
        // One that is overdue is nobody's: who planned it has ended.
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
