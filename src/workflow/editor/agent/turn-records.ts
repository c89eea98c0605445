import type { Lane } from '../../../domain/lane/lane.ts'
import { limits } from '../../../domain/limits.ts'
import type { Records } from '../../../ports/store.ts'
import type { AgentLane } from './agent-turn.ts'
import { acceptedIndex } from './turn-tools.ts'

export interface SessionBefore {
  readonly session: string | null
  /** Start of this turn in a process that has died, in ISO 8601; null if there was none. */
  readonly begunAt: string | null
  /** True if the turn was cut off or failed before its result was stored. */
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
  return {
    session: begun?.data.session ?? session,
    begunAt: begun?.at ?? null,
    isInterrupted: begun !== undefined || data.failedCalls > 0 || data.agent.isCut === true,
  }
}

/**
 * The replies of this turn that a dead process has counted: model calls, or the actions that stand
 * for them. `observed` is the number of the next observed call.
 */
export async function repliesSeen(
  records: Pick<Records, 'modelCalls'>,
  { run, id }: Lane,
  turn: { readonly begunAt: string | null; readonly countsTools: boolean; readonly observed: number },
): Promise<number> {
  const { begunAt, countsTools, observed } = turn
  if (begunAt === null) return 0
  if (countsTools) return observed - acceptedIndex - 1
  return (await records.modelCalls(run, id)).filter(({ startedAt }) => startedAt >= begunAt).length
}

/**
 * Finds the number of the next observed call. The turn may have stored calls before it was cut off.
 */
export async function nextObserved(records: Pick<Records, 'toolExecution'>, { id, data }: Lane): Promise<number> {
  let next = acceptedIndex + 1
  for (; next <= limits.agentTurn.observed; next += 1) {
    if ((await records.toolExecution(id, data.turn, next)) === null) break
  }
  return next
}
