import { limits } from '../limits.ts'
import type { LaneData, LaneStop } from './lane.ts'
import { idleTurns, turnsWithout } from './progress.ts'

const news = 'no new file or search, no new output, no change, no other failing tests, no settled finding'

/** The turns a lane has used since its count was last reset, of its maximum: `3 of 20`. */
export function turnsUsed({ iterations, limits: { hard } }: Pick<LaneData, 'iterations' | 'limits'>): string {
  return `${iterations} of ${hard - 1}`
}

/** The reason why a lane was stopped, in words and figures, for its architect and for people. */
export function stopCause(
  lane: Pick<LaneData, 'iterations' | 'progress' | 'limits' | 'wordsOnly' | 'repeated'>,
  stop: LaneStop,
): string {
  switch (stop) {
    case 'iteration_limit': {
      const { hard, idle = hard } = lane.limits
      if (lane.iterations + 1 >= hard || idleTurns(lane) < idle) return 'its turns were used up'
      return `${idleTurns(lane)} of its turns brought nothing new: ${news}`
    }
    case 'no_progress':
      return `its last ${turnsWithout(lane)} turns made no progress: ${news}`
    case 'alternating': {
      const { calls } = lane.progress
      const different = new Set(calls).size
      const which = different === 1 ? 'one and the same' : `only ${different} different ones`
      return `its last ${calls.length} calls were ${which}, with the same results, and brought nothing new`
    }
    case 'identical_calls':
      if (lane.repeated?.answer !== undefined) return 'it asked the same question five times in a row'
      return 'it made the same call with the same result five times in a row'
    case 'malformed':
      return 'it made the same unusable call five times in a row'
    case 'refused':
      return 'what it handed in was refused three times for the same reason'
    case 'words_only':
      return `its last ${lane.wordsOnly ?? 0} replies called no tool`
    case 'turn_time':
      return `one turn of its agent took longer than ${limits.agentTurn.turnSec / 60} minutes`
    case 'tool_calls':
      return `one turn of its agent called Drydock's tools more than ${limits.agentTurn.toolCalls} times`
    case 'no_call':
      return 'its agent ended several turns in a row without handing anything in'
    case 'context_overflow':
      return 'its conversation no longer fits the model'
    default:
      throw new Error(`unknown stop ${stop satisfies never}`)
  }
}
