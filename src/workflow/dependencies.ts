import type { Command } from '../domain/command.ts'
import type { Landing } from '../domain/landing/landing.ts'
import type { RunConfig } from '../domain/run/run-config.ts'
import type { ScheduleData } from '../domain/schedule/schedule.ts'
import type { Scope } from '../domain/scope.ts'
import type { Redact } from '../domain/secrets/redact.ts'
import type { SlotCaps } from '../domain/share/slot-caps.ts'
import type { GateDependencies } from '../gate/dependencies.ts'
import type { KnownTreeParts } from '../gate/layers/tree-parts.ts'
import type { KeptBlobs } from '../ports/blobs.ts'
import type { Engine } from '../ports/engine.ts'
import type { LiveWork } from '../ports/live-work.ts'
import type { McpServers } from '../ports/mcp-servers.ts'
import type { Model } from '../ports/model.ts'
import type { Prices } from '../ports/prices.ts'
import type { Publisher } from '../ports/publisher.ts'
import type { Receipts } from '../ports/receipts.ts'
import type { Records } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { Timetable } from '../ports/timetable.ts'
import type { UserRepository } from '../ports/user-repository.ts'
import type { ArchitectSandbox } from './architect/architect-sandbox.ts'
import type { ForeignAgents } from './editor/agent/foreign-agents.ts'
import type { Guides } from './guide/guides.ts'
import type { LandingStep } from './landing/landing-step.ts'
import type { Ahead } from './lane/ahead.ts'
import type { LaneMessages } from './lane/lane-messages.ts'
import type { ReadsAhead } from './lane/reads-ahead.ts'
import type { Sandboxes } from './lane/sandboxes.ts'
import type { WorkspaceLooks } from './lane/workspace-looks.ts'
import type { LaneServers } from './mcp/lane-servers.ts'
import type { Notifying } from './notification/queue-notices.ts'
import type { Share } from './share.ts'
import type { LayerSharing } from './stored/share-layers.ts'
import type { BaseVerdicts } from './verification/base-verdicts.ts'

export interface ConfigRequest {
  /** `.drydock/config.json` of the base commit, null when it has none. */
  readonly repositoryText: string | null
  /** Another file of that commit. */
  readonly textAt: (path: string) => Promise<string | null>
  readonly configFile: string | null
  /** False for what verifies nothing. */
  readonly stepsRequired: boolean
}

/** Another repository, whose commits, workspaces and checkouts lie in the same state. */
export interface Beside extends Pick<WorkflowDependencies, 'userRepository' | 'publisher' | 'workTrees' | 'guides'> {
  /** The real path of the top of its work tree. */
  readonly path: string
  /** The folder with its refs, which all of its work trees share. */
  readonly refs: string
  /** By its own files, and what the user says of it. */
  readonly readConfig: WorkflowDependencies['readConfig']
}

/**
 * What the workflow works with; every part is an argument, so that another adapter is another
 * argument.
 */
export interface WorkflowDependencies extends GateDependencies {
  readonly userRepository: UserRepository
  readonly publisher: Publisher
  readonly engine: Engine
  readonly store: Records
  /** Is told what lanes do at this moment. */
  readonly live: LiveWork
  readonly laneMessages: LaneMessages
  readonly looks: WorkspaceLooks
  readonly baseVerdicts: BaseVerdicts
  readonly ahead: Ahead
  readonly readsAhead: ReadsAhead
  readonly sandboxes: Sandboxes
  readonly architect: ArchitectSandbox
  /** Takes secrets out of a text, by value and by shape. */
  readonly redact: Redact
  /** By the id that the user gave. DrydockError when it is unusable. */
  readonly model: (id: string) => Model
  readonly prices: Prices
  /** What works with foreign agents as editors. */
  readonly foreign: ForeignAgents
  /** Another repository of a Run, by its path. DrydockError when it is not there. */
  readonly beside: (path: string) => Promise<Beside>
  /** The user's MCP servers; null when there are none. */
  readonly mcpServers: () => Promise<McpServers | null>
  readonly laneServers: LaneServers
  readonly readConfig: (request: ConfigRequest) => Promise<RunConfig>
  readonly parts: KnownTreeParts
  readonly receipts: Receipts
  readonly guides: Guides
  readonly slots: readonly string[]
  /** The user's bounds of what one of them, and one Run, may hold of the slots. */
  readonly slotCaps: SlotCaps
  readonly share: Share
  /** Whether the disk of the state has space to work in. */
  readonly hasRoom: () => Promise<boolean>
  /** The Runs that this process works on; those of others stay as they are. */
  readonly scope: Scope
  readonly notifying: Notifying
  readonly telemetry: Telemetry
  /** Where files of verifications are kept beside this machine; null for nowhere. */
  readonly blobs: KeptBlobs | null
  /** Gives dependency layers to other machines; null where there is no place for that. */
  readonly sharing: LayerSharing | null
  readonly timetable: Timetable
  /** The command that starts what is scheduled. DrydockError for whatever is in the way. */
  readonly scheduled: (schedule: ScheduleData) => Promise<Extract<Command, { kind: 'start' }>>
  /** The next step of a landing. DrydockError for whatever is in the way. */
  readonly land: (landing: Landing) => Promise<LandingStep>
  /** The user's, for each commit that is handed over. */
  readonly trailers: readonly string[]
}
