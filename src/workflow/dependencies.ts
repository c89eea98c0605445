import type { RunConfig } from '../domain/run-config.ts'
import type { Clock } from '../ports/clock.ts'
import type { Engine } from '../ports/engine.ts'
import type { Model } from '../ports/model.ts'
import type { Sandbox } from '../ports/sandbox.ts'
import type { Records } from '../ports/store.ts'
import type { Workspaces } from '../ports/workspace.ts'
import type { Sandboxes } from './sandboxes.ts'

export interface ConfigRequest {
  /** `.drydock/config.json` of the base commit, null when it has none. */
  readonly repositoryText: string | null
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
  readonly clock: Clock
  /** By the id that the user gave. DrydockError when it is unusable. */
  readonly model: (id: string) => Model
  readonly readConfig: (request: ConfigRequest) => Promise<RunConfig>
  /** ARTIFACT_DIR, absolute. */
  readonly artifacts: string
  readonly slots: readonly string[]
}
