import type { Lane } from '../../domain/lane/lane.ts'
import { limits } from '../../domain/limits.ts'
import type { Records } from '../../ports/store.ts'
import type { AgentLane } from './agent-turn.ts'
import { acceptedIndex } from './turn-tools.ts'

export interface SessionBefore {
  /** The session to load. */
  readonly session: string | null
  /** This very turn was begun by a process that has ended. */
  readonly isBegun: boolean
  /** It was cut off, or failed, before anything was made of it. */
  readonly isInterrupted: boolean
}

export async function lastSession(
  records: Pick<Records, 'recentEvents'>,
  { run, story, data }: AgentLane['lane'],
): Promise<SessionBefore> {
  const asked = { run, ...(story !== null && { story }), types: ['agent_session'] as const, limit: 200 }
  const events = await records.recentEvents(asked)
  const begun = events.find((event) => event.data.lane === data.key && event.data.turn === data.turn)
  const { session } = data.agent
  const isBegun = begun !== undefined
  return {
    session: begun?.data.session ?? session,
    isBegun,
    isInterrupted: isBegun || data.failedCalls > 0 || data.agent.isCut === true,
  }
}

/** The number of the next call that is observed: a turn that was cut off has stored some. */
export async function nextObserved(records: Pick<Records, 'toolExecution'>, { id, data }: Lane): Promise<number> {
  let next = acceptedIndex + 1
  for (; next <= limits.agentTurn.observed; next += 1) {
    if ((await records.toolExecution(id, data.turn, next)) === null) break
  }
  return next
}
