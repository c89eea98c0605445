import type { Scope } from '../../domain/scope.ts'
import type { Redact } from '../../domain/secrets/redact.ts'
import type { SlotCaps } from '../../domain/share/slot-caps.ts'
import type { KnownTreeParts } from '../../gate/layers/tree-parts.ts'
import type { LiveWork } from '../../ports/live-work.ts'
import type { Model } from '../../ports/model.ts'
import type { ArchitectDependencies } from '../architect/dependencies.ts'
import type { LaneServers } from '../mcp/lane-servers.ts'
import type { CommitDependencies } from '../merge/dependencies.ts'
import type { StartDependencies } from '../run/dependencies.ts'
import type { Share } from '../share.ts'
import type { StepDependencies } from '../step-dependencies.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import type { BaseVerdicts } from '../verification/base-verdicts.ts'
import type { Ahead } from './ahead.ts'
import type { LaneMessages } from './lane-messages.ts'
import type { ReadsAhead } from './reads-ahead.ts'
import type { WorkspaceLooks } from './workspace-looks.ts'

/** The parts that apply a decision, or a command of a person, in a transaction. */
export interface DecisionDependencies extends Pick<StepDependencies, 'clock'> {
  /** By the id that the user gave. DrydockError when it is unusable. */
  readonly model: (id: string) => Model
  /** The Runs that this process works on; those of others stay as they are. */
  readonly scope: Scope
  /** The user's bounds of what one of them, and one Run, may hold of the slots. */
  readonly slotCaps: SlotCaps
  readonly share: Share
}

/** The parts that answer a request that ends a turn: a plan, a change, a question, a report. */
export interface RequestDependencies extends StoryDependencies, CommitDependencies {
  readonly slots: readonly string[]
}

/** The context of an agent's tools: its workspace, or the architect's view of the Run. */
export interface ContextDependencies extends StoryDependencies, ArchitectDependencies {
  readonly parts: KnownTreeParts
}

/** The parts that tell of a turn and count its cost, whoever plays it. */
export interface TurnDependencies extends StepDependencies, Pick<StartDependencies, 'prices'> {
  /** Is told what lanes do at this moment. */
  readonly live: LiveWork
  readonly laneMessages: LaneMessages
  /** Takes secrets out of a text, by value and by shape. */
  readonly redact: Redact
}

/** The parts that commit the step of a lane with all that follows from it. */
export interface LaneStepDependencies extends TurnDependencies, RequestDependencies, DecisionDependencies {}

/** The parts of a conversation with a model: its context, and the work beside the call. */
export interface ConversationDependencies extends LaneStepDependencies, ContextDependencies {
  readonly ahead: Ahead
  readonly readsAhead: ReadsAhead
  readonly looks: WorkspaceLooks
  readonly laneServers: LaneServers
  readonly baseVerdicts: BaseVerdicts
}
