import type { DatabaseUrl } from '../config/database/database-url.ts'
import type { EnvironmentVariables } from '../config/environment.ts'
import type { LoadedUserConfig, ResolvedConfig } from '../config/load.ts'
import type { Command } from '../domain/command.ts'
import type { Redact } from '../domain/secrets/redact.ts'
import type { RedactSpeech } from '../domain/secrets/redact-speech.ts'
import type { StateAddress } from '../domain/worker/shared-state.ts'
import type { Artifacts } from '../ports/artifacts.ts'
import type { KeptBlobs } from '../ports/blobs.ts'
import type { Clock } from '../ports/clock.ts'
import type { CopiedState } from '../ports/copied-state.ts'
import type { Forge } from '../ports/forge.ts'
import type { History } from '../ports/history.ts'
import type { ControlRepository } from '../ports/hub/control-repository.ts'
import type { HubClient } from '../ports/hub/hub-client.ts'
import type { HubOpening, HubRows } from '../ports/hub/hub-rows.ts'
import type { PeopleDoor } from '../ports/hub/identity-provider.ts'
import type { WorkerRole, WorkerRoleWanted } from '../ports/hub/worker-role.ts'
import type { WorkerSign } from '../ports/hub/worker-sign.ts'
import type { McpServers } from '../ports/mcp-servers.ts'
import type { Model } from '../ports/model.ts'
import type { Notifier } from '../ports/notifier.ts'
import type { Connecting, Owner, OwnerConnection, OwnerFacts, OwnOptions } from '../ports/owner.ts'
import type { Publisher } from '../ports/publisher.ts'
import type { ReceiptReader, Receipts } from '../ports/receipts.ts'
import type { Remotes } from '../ports/remotes.ts'
import type { Sandbox } from '../ports/sandbox.ts'
import type { ForgeCalls, StateReader } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { Timetable } from '../ports/timetable.ts'
import type { UserRepository } from '../ports/user-repository.ts'
import type { WorkTrees } from '../ports/work-trees.ts'
import type { AgentSettings, ForeignAgents } from '../workflow/editor/agent/foreign-agents.ts'
import type { Guides } from '../workflow/guide/guides.ts'
import type { Beside } from '../workflow/repositories.ts'
import type { Priced } from '../workflow/run/check-prices.ts'
import type { Collected } from '../workflow/run/collect-garbage.ts'
import type { ConfigRequest } from '../workflow/run/dependencies.ts'
import type { StoredFiles } from '../workflow/stored/stored-files.ts'

/** One repository with its state, put together: what every command starts from. */
export interface Drydock {
  readonly repository: string
  /** The environment that it was opened with. */
  readonly env: EnvironmentVariables
  readonly state: string
  readonly artifacts: string
  /** The files themselves. Logs that are gone from this machine are read where they are kept. */
  openArtifacts(): Artifacts
  /** The place that keeps files of verifications beside this machine; null for none. */
  readonly blobs: KeptBlobs | null
  readonly storedFiles: StoredFiles | null
  readonly user: LoadedUserConfig
  readonly clock: Clock
  readonly history: History
  readonly workTrees: WorkTrees
  readonly userRepository: UserRepository
  readonly publisher: Publisher
  readonly remotes: Remotes
  /** The commits of the state, for the workers and clients of a hub. */
  readonly control: ControlRepository
  readonly receipts: Receipts
  /** Checks receipts, with the user's configuration as it is now. DrydockError `bad_config`. */
  openReceipts(): Promise<ReceiptReader>
  readonly sandbox: Sandbox
  readonly notifiers: readonly Notifier[]
  readonly telemetry: Telemetry
  readonly timetable: Timetable
  /** DrydockError `no_price` when a Run could not keep to its dollars. Nothing is stored yet. */
  checkPrices(starting: Priced): Promise<void>
  /** Takes secrets out of a text, by value and by shape. */
  readonly redact: Redact
  /** The same for a text that still grows. */
  readonly redactSpeech: RedactSpeech
  model(id: string): Model
  /** What `agent:<name>` is started with. DrydockError `agent_unusable`, `bad_model`, `no_key`. */
  agent(name: string): AgentSettings
  readonly foreign: ForeignAgents
  /** The user's MCP servers; null when there are none. */
  readonly mcpServers: () => Promise<McpServers | null>
  readConfig(request: ConfigRequest): Promise<ResolvedConfig>
  /** What commits of the repository tell agents. */
  readonly guides: Guides
  /**
   * Opens another repository beside this one, with this state. A relative path starts from this
   * repository. DrydockError `not_a_repository`, `state_unusable`.
   */
  beside(directory: string): Promise<Beside>
  /**
   * The folder of a clone in the state, at the newest commit of the URL's default branch.
   * DrydockError `git_failed`.
   */
  clone(url: string): Promise<string>
  /** Reads the state beside its owner. Close it after use. */
  openRecords(): StateReader
  /** Makes an empty state, for who serves it and reads it from the first moment on. */
  ensureState(): Promise<void>
  /**
   * What the configured server is, null where the state is kept in a file. DrydockError of what is
   * in the way.
   */
  checkDatabase(): Promise<string | null>
  /** Copies the state into its file, or to a server; null while another process owns the state. */
  copyState(to: 'sqlite' | DatabaseUrl): Promise<CopiedState | null>
  /**
   * Stores a command under a unique key. The owner, present or future, applies it once. Returns the
   * key that `Records.commandApplied` knows it by.
   */
  submit(key: string, command: Command): Promise<string>
  /** The hub that keeps the state and does the work; null where this machine does. */
  readonly atHub: HubClient | null
  /** Loads what the owner is made of, where no process seems to be it: beside other work. */
  expectToOwn(): Promise<void>
  /** Becomes the owner and takes up the work that was asked for; null while another process is. */
  own(options: OwnOptions): Promise<Owner | null>
  /**
   * The forge of a remote's URL, or the named one. Throws DrydockError `forge_unknown`,
   * `no_forge_token`.
   */
  openForge(url: string, name: string | null): Promise<Forge>
  /** Opens the rows of calls to forges, beside the owner. Close it after use. */
  openForgeCalls(): Promise<ForgeCalls>
  /** What workers need to find the rows of the state; null for a state in a file. */
  stateAddress(): Promise<StateAddress | null>
  /** Who works on a state that is shared; empty for a state in a file. */
  workersNow(): Promise<readonly WorkerSign[]>
  /** Asks the workers of a host to end in good order. Returns their ids. */
  drainWorkers(host: string): Promise<readonly string[]>
  /**
   * Makes a role of the database for workers, or the SQL for one; null for a state in a file.
   * DrydockError `bad_usage`, `database_unusable`.
   */
  makeWorkerRole(wanted: WorkerRoleWanted): Promise<WorkerRole | null>
  /** Opens the tokens and sessions of the hub, beside the owner. Close it after use. */
  openHubRows(opening?: HubOpening): Promise<HubRows>
  /**
   * How people of the configured provider come into the hub; null for none. DrydockError `no_key`.
   */
  openPeopleDoor(): Promise<PeopleDoor | null>
  /** The right to watch the forge; null while another process has it. */
  lockForgeWatch(): Promise<{ release(): void } | null>
  /** Removes what is no longer kept; null while another process owns the state and does so. */
  collect(signal: AbortSignal): Promise<Collected | null>
  /** Bytes on the disk of each part of the state, by its name. */
  sizes(): Promise<Readonly<Record<string, number>>>
  /** Connects to the process that is the owner; null when there is none. */
  connect(on: Connecting): Promise<OwnerConnection | null>
  /** What the owner works on, or what the last one did when it was killed. */
  ownerFacts(): Promise<OwnerFacts | null>
}
