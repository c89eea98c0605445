import type { Result } from '../../domain/run/result.ts'
import { isEnded, isHeld } from '../../domain/run/run.ts'
import { sentence } from '../../domain/sentence.ts'
import type { Records } from '../../ports/store.ts'
import { describeAgain } from '../text/describe-again.ts'
import { runsOf } from './waits-for.ts'

/** Tells of each next try of a Run that the infrastructure has stopped, once. */
export interface PlannedTries {
  /** Whether the process that works on the Runs tries one of these results again by itself. */
  areAhead(records: Records, results: ReadonlyMap<string, Result>): Promise<boolean>
}

export function createPlannedTries({ onNote }: { readonly onNote: (text: string) => void }): PlannedTries {
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
        if (again === null) continue
        isAhead = true
        if (told.has(`${id} ${again.at}`)) continue
        told.add(`${id} ${again.at}`)
        onNote(sentence`${error?.message ?? 'The infrastructure has stopped it'}. ${id} ${describeAgain(again)}`)
      }
      return isAhead
    },
  }
}
