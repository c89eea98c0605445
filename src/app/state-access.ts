import type { Command } from '../domain/command.ts'
import type { StateAddress } from '../domain/worker/shared-state.ts'
import type { HubClient } from '../ports/hub/hub-client.ts'
import type { HubOpening, HubRows } from '../ports/hub/hub-rows.ts'
import type { WorkerRole, WorkerRoleOptions } from '../ports/hub/worker-role.ts'
import type { WorkerSign } from '../ports/hub/worker-sign.ts'
import type { Connecting, OwnerConnection, OwnerFacts } from '../ports/owner.ts'
import type { ForgeCalls, StateReader } from '../ports/store.ts'
import type { RemoteOperations } from './operations/remote.ts'

/** A hub, with its operations. */
export interface HubAccess extends HubClient {
  /** With the same key again, an operation that acts is still done once. */
  operations(key?: string): RemoteOperations
}

/** A state that can be read. */
export interface RecordSource {
  /** Reads the state beside its owner. Close it after use. */
  openRecords(): StateReader
}

/** The state, as views read it and operations change it, beside its owner or at a hub. */
export interface StateAccess extends RecordSource {
  /**
   * Stores a command under a unique key. The owner, present or future, applies it once. Returns the
   * key for `Records.commandApplied`.
   */
  submit(key: string, command: Command): Promise<string>
  /** Connects to the owner; null without one. */
  connect(on: Connecting): Promise<OwnerConnection | null>
  /** The work of the owner, or of the last one if it was killed. */
  ownerFacts(): Promise<OwnerFacts | null>
  /** The hub that keeps the state and does the work; null if this machine does. */
  readonly atHub: HubAccess | null
  /** Opens the rows of calls to forges, beside the owner. Close it after use. */
  openForgeCalls(): Promise<ForgeCalls>
  /** Opens the tokens and sessions of the hub, beside the owner. Close it after use. */
  openHubRows(opening?: HubOpening): Promise<HubRows>
  /** The address of the rows, for workers; null for a state in a file. */
  stateAddress(): Promise<StateAddress | null>
  /** The workers of a shared state; empty for a state in a file. */
  workersNow(): Promise<readonly WorkerSign[]>
  /** Asks the workers of a host to end in good order. Returns their ids. */
  drainWorkers(host: string): Promise<readonly string[]>
  /**
   * Makes a role of the database for workers, or the SQL for one; null for a state in a file.
   * DrydockError `bad_usage`, `database_unusable`.
   */
  makeWorkerRole(wanted: WorkerRoleOptions): Promise<WorkerRole | null>
}

/** Records, with the process that works on their Runs. */
export type OwnedRecords = Pick<StateAccess, 'openRecords' | 'connect'>
