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

/** The parts that apply a decision, or a person's command, in a transaction. */
export interface DecisionDependencies extends Pick<StepDependencies, 'clock'> {
  /** Finds a model by the id that the user gave. Throws DrydockError if it is unusable. */
  readonly model: (id: string) => Model
  /** The Runs that this process works on; other Runs stay unchanged. */
  readonly scope: Scope
  /** The user's limits on the slots of one user and of one Run. */
  readonly slotCaps: SlotCaps
  readonly share: Share
}

/** The parts that answer a request which ends a turn: a plan, a change, a question, a report. */
export interface RequestDependencies extends StoryDependencies, CommitDependencies {
  readonly slots: readonly string[]
}

/** The context of an agent's tools: its workspace, or the architect's view of the Run. */
export interface ContextDependencies extends StoryDependencies, ArchitectDependencies {
  readonly parts: KnownTreeParts
}

/** The parts that report a turn and account for its cost, for models and foreign agents alike. */
export interface TurnDependencies extends StepDependencies, Pick<StartDependencies, 'prices'> {
  /** Receives the present activity of lanes. */
  readonly live: LiveWork
  readonly laneMessages: LaneMessages
  /** Removes secrets from a text, by value and by shape. */
  readonly redact: Redact
}

/** The parts that commit a lane's step together with its consequences. */
export interface LaneStepDependencies extends TurnDependencies, RequestDependencies, DecisionDependencies {}

/** The parts of a conversation with a model: its context, and the work that runs during a call. */
export interface ConversationDependencies extends LaneStepDependencies, ContextDependencies {
  readonly ahead: Ahead
  readonly readsAhead: ReadsAhead
  readonly looks: WorkspaceLooks
  readonly laneServers: LaneServers
  readonly baseVerdicts: BaseVerdicts
}
