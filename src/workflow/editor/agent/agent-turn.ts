import type { Lane, LaneData, LaneStop } from '../../../domain/lane/lane.ts'
import type { Message, ToolCall } from '../../../domain/lane/message.ts'
import type { Run } from '../../../domain/run/run.ts'
import type { AgentFailure } from '../../../ports/coding-agent.ts'
import type { Obstacle } from '../../lane/call-account.ts'

/** A lane whose editor is a foreign agent; `agent` is there, also before its first turn. */
export interface AgentLane {
  readonly lane: Lane & { readonly data: Required<Pick<LaneData, 'agent'>> }
  readonly run: Run
  /** As in `agent:<name>`. */
  readonly name: string
}

/** What one turn of a foreign agent came to. */
export interface AgentTurn {
  readonly end: TurnOutcome
  /** Its session; null when none was opened. */
  readonly session: string | null
  /** What it was told beside the messages that are stored. */
  readonly added: readonly Message[]
  /** Id of the last chat message that it was told. */
  readonly heard: string | null
  /** Its last words. */
  readonly text: string
  readonly counts: Pick<LaneData, 'iterations' | 'repeated' | 'progress'>
}

export type TurnOutcome =
  /** A call of a tool that ends a turn is stored. */
  | { readonly type: 'accepted'; readonly call: ToolCall }
  /** It ended its turn by itself. */
  | { readonly type: 'idle' }
  /** A human pauses the Run. */
  | { readonly type: 'held' }
  | { readonly type: 'stopped'; readonly stop: LaneStop }
  | { readonly type: 'obstacle'; readonly obstacle: Obstacle }
  | { readonly type: 'failed'; readonly failure: AgentFailure }
