import type { Lane, LaneData, LaneStop } from '../../../domain/lane/lane.ts'
import type { Message, ToolCall } from '../../../domain/lane/message.ts'
import type { Run } from '../../../domain/run/run.ts'
import type { AgentFailure } from '../../../ports/coding-agent.ts'
import type { Obstacle } from '../../lane/call-account.ts'

/** A lane whose editor is a foreign agent; `agent` is set even before the first turn. */
export interface AgentLane {
  readonly lane: Lane & { readonly data: Required<Pick<LaneData, 'agent'>> }
  readonly run: Run
  /** The name in `agent:<name>`. */
  readonly name: string
}

/** The result of one turn of a foreign agent. */
export interface AgentTurn {
  readonly end: TurnOutcome
  /** The session of the agent; null if none was opened. */
  readonly session: string | null
  /** Messages to the agent in addition to those that were stored already. */
  readonly added: readonly Message[]
  /** Id of the last chat message that the agent has seen. */
  readonly heard: string | null
  /** The agent's last message. */
  readonly text: string
  readonly counts: Pick<LaneData, 'iterations' | 'repeated' | 'progress'>
}

export type TurnOutcome =
  /** A call that ends a turn is stored. */
  | { readonly type: 'accepted'; readonly call: ToolCall }
  /** The agent ended its turn without such a call. */
  | { readonly type: 'idle' }
  /** A human has paused the Run. */
  | { readonly type: 'held' }
  | { readonly type: 'stopped'; readonly stop: LaneStop }
  | { readonly type: 'obstacle'; readonly obstacle: Obstacle }
  | { readonly type: 'failed'; readonly failure: AgentFailure }
