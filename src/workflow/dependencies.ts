import type { Redact } from '../domain/redact.ts'
import type { RunConfig } from '../domain/run-config.ts'
import type { Scope } from '../domain/scope.ts'
import type { Artifacts } from '../ports/artifacts.ts'
import type { Clock } from '../ports/clock.ts'
import type { Engine } from '../ports/engine.ts'
import type { Model } from '../ports/model.ts'
import type { Prices } from '../ports/prices.ts'
import type { Receipts } from '../ports/receipts.ts'
import type { Sandbox } from '../ports/sandbox.ts'
import type { Records } from '../ports/store.ts'
import type { TestReports } from '../ports/test-reports.ts'
import type { Workspaces } from '../ports/workspace.ts'
import type { ArchitectSandbox } from './architect-sandbox.ts'
import type { DependencyLayers } from './dependency-layers.ts'
import type { ReadGuide } from './guide.ts'
import type { Notifying } from './queue-notices.ts'
import type { Sandboxes } from './sandboxes.ts'
import type { TestsOfTrees } from './tests-of-tree.ts'
import type { KnownTreeParts } from './tree-parts.ts'

export interface ConfigRequest {
  /** `.drydock/config.json` of the base commit, null when it has none. */
  readonly repositoryText: string | null
  /** Another file of that commit. */
  readonly textAt: (path: string) => Promise<string | null>
  readonly configFile: string | null
  /** False for what verifies nothing. */
  readonly stepsRequired: boolean
}

/** What the workflow works with; every part is an argument, so that another adapter is another argument. */
export interface WorkflowDependencies {
  readonly engine: Engine
  readonly store: Records
  readonly workspaces: Workspaces
  readonly sandbox: Sandbox
  readonly sandboxes: Sandboxes
  readonly architect: ArchitectSandbox
  readonly clock: Clock
  /** Takes secrets out of a text, by value and by shape. */
  readonly redact: Redact
  /** By the id that the user gave. DrydockError when it is unusable. */
  readonly model: (id: string) => Model
  readonly prices: Prices
  readonly readConfig: (request: ConfigRequest) => Promise<RunConfig>
  readonly artifacts: Artifacts
  readonly layers: DependencyLayers
  readonly reports: TestReports
  readonly testsOfTrees: TestsOfTrees
  readonly parts: KnownTreeParts
  readonly receipts: Receipts
  readonly guide: ReadGuide
  readonly slots: readonly string[]
  /** The Runs that this process works on; those of others stay as they are. */
  readonly scope: Scope
  readonly notifying: Notifying
  /** The user's, for each commit that is handed over. */
  readonly trailers: readonly string[]
}
