import type { Command } from '../domain/command.ts'
import type { StateAddress } from '../domain/worker/shared-state.ts'
import type { HubClient } from '../ports/hub/hub-client.ts'
import type { HubOpening, HubRows } from '../ports/hub/hub-rows.ts'
import type { WorkerRole, WorkerRoleOptions } from '../ports/hub/worker-role.ts'
import type { WorkerSign } from '../ports/hub/worker-sign.ts'
import type { Connecting, OwnerConnection, OwnerFacts } from '../ports/owner.ts'
import type { ForgeCalls, StateReader } from '../ports/store.ts'
import type { RemoteOperations } from './operations/remote.ts'

/** Access to a hub, with its operations. */
export interface HubAccess extends HubClient {
  /**
   * Returns the hub's operations. With an equal key an operation that changes something is done
   * only once.
   */
  operations(key?: string): RemoteOperations
}

/** A state that can be read. */
export interface RecordSource {
  /** Opens the state for reading alongside its owner. The caller closes it. */
  openRecords(): StateReader
}

/** The state, as views read it and operations change it, alongside its owner or at a hub. */
export interface StateAccess extends RecordSource {
  /**
   * Stores a command under an idempotency key. The current or next owner applies it once. Returns
   * the key for `Records.commandApplied`.
   */
  submit(key: string, command: Command): Promise<string>
  /** Connects to the owner; null if none is running. */
  connect(on: Connecting): Promise<OwnerConnection | null>
  /** Facts about the work of the owner, or of the last one if it was killed. */
  ownerFacts(): Promise<OwnerFacts | null>
  /** Access to the hub that keeps the state and does the work; null if this machine does. */
  readonly atHub: HubAccess | null
  /** Opens the rows of calls to forges, alongside the owner. The caller closes them. */
  openForgeCalls(): Promise<ForgeCalls>
  /** Opens the tokens and sessions of the hub, alongside the owner. The caller closes them. */
  openHubRows(opening?: HubOpening): Promise<HubRows>
  /** The database address for workers; null for a state in a file. */
  stateAddress(): Promise<StateAddress | null>
  /** The workers of a shared state; empty for a state in a file. */
  workersNow(): Promise<readonly WorkerSign[]>
  /** Asks the workers of a host to drain. Returns their ids. */
  drainWorkers(host: string): Promise<readonly string[]>
  /**
   * Creates a database role for workers, or returns the SQL for one; null for a state in a file.
   * Throws DrydockError `bad_usage`, `database_unusable`.
   */
  makeWorkerRole(wanted: WorkerRoleOptions): Promise<WorkerRole | null>
}

/** Access to the records, and to the process that works on their Runs. */
export type OwnedRecords = Pick<StateAccess, 'openRecords' | 'connect'>
