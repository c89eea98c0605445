import type { EnvironmentVariables } from '../config/environment.ts'
import type { LoadedUserConfig, ResolvedConfig } from '../config/load.ts'
import type { Redact } from '../domain/secrets/redact.ts'
import type { RedactSpeech } from '../domain/secrets/redact-speech.ts'
import type { Artifacts } from '../ports/artifacts.ts'
import type { KeptBlobs } from '../ports/blobs.ts'
import type { Clock } from '../ports/clock.ts'
import type { Forge } from '../ports/forge.ts'
import type { History } from '../ports/history.ts'
import type { ControlRepository } from '../ports/hub/control-repository.ts'
import type { PeopleDoor } from '../ports/hub/identity-provider.ts'
import type { McpServers } from '../ports/mcp-servers.ts'
import type { Model } from '../ports/model.ts'
import type { Notifier } from '../ports/notifier.ts'
import type { Publisher } from '../ports/publisher.ts'
import type { ReceiptReader, Receipts } from '../ports/receipts.ts'
import type { Remotes } from '../ports/remotes.ts'
import type { Sandbox } from '../ports/sandbox.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { Timetable } from '../ports/timetable.ts'
import type { UserRepository } from '../ports/user-repository.ts'
import type { WorkTrees } from '../ports/work-trees.ts'
import type { AgentSettings, ForeignAgents } from '../workflow/editor/agent/foreign-agents.ts'
import type { Guides } from '../workflow/guide/guides.ts'
import type { Beside } from '../workflow/repositories.ts'
import type { PricedStart } from '../workflow/run/check-prices.ts'
import type { ConfigRequest } from '../workflow/run/dependencies.ts'
import type { StoredFiles } from '../workflow/stored/stored-files.ts'

/** The configured parts of one repository: places, settings, and the ports that work on it. */
export interface Installation {
  readonly repository: string
  /** The variables of the process that opened the repository. */
  readonly env: EnvironmentVariables
  readonly state: string
  readonly artifacts: string
  /**
   * Opens the artifacts of verifications. Logs that were removed from this machine are read from
   * the configured blob store.
   */
  openArtifacts(): Artifacts
  /**
   * The place that keeps files of verifications outside this machine; null if none is configured.
   */
  readonly blobs: KeptBlobs | null
  readonly storedFiles: StoredFiles | null
  readonly user: LoadedUserConfig
  readonly clock: Clock
  readonly history: History
  readonly workTrees: WorkTrees
  readonly userRepository: UserRepository
  readonly publisher: Publisher
  readonly remotes: Remotes
  /** The commits of the state, as workers and clients of a hub see them. */
  readonly control: ControlRepository
  readonly receipts: Receipts
  /**
   * Opens a checker of receipts, with the user's current configuration. Throws DrydockError
   * `bad_config`.
   */
  openReceipts(): Promise<ReceiptReader>
  readonly sandbox: Sandbox
  readonly notifiers: readonly Notifier[]
  readonly telemetry: Telemetry
  readonly timetable: Timetable
  /**
   * Checks that a Run can respect its budget, while nothing is stored yet. Throws DrydockError
   * `no_price` if the price of a model is unknown.
   */
  checkPrices(starting: PricedStart): Promise<void>
  /** Removes secrets from a text, by value and by shape. */
  readonly redact: Redact
  /** Removes secrets from a text that is still growing. */
  readonly redactSpeech: RedactSpeech
  model(id: string): Model
  /**
   * The settings of `agent:<name>`. Throws DrydockError `agent_unusable`, `bad_model`, `no_key`.
   */
  agent(name: string): AgentSettings
  readonly foreign: ForeignAgents
  /** The user's MCP servers; null when there are none. */
  readonly mcpServers: () => Promise<McpServers | null>
  readConfig(request: ConfigRequest): Promise<ResolvedConfig>
  /** Reads the guides that commits of the repository have for agents. */
  readonly guides: Guides
  /**
   * Opens another repository with its own settings but this state. A relative path starts from this
   * repository. Throws DrydockError `not_a_repository`, `state_unusable`.
   */
  beside(directory: string): Promise<Beside>
  /**
   * Clones a URL into the state, or updates the clone, to the newest commit of its default branch.
   * Returns the folder. Throws DrydockError `git_failed`.
   */
  clone(url: string): Promise<string>
  /**
   * Opens the forge of a remote's URL, or the named one. Throws DrydockError `forge_unknown`,
   * `no_forge_token`.
   */
  openForge(url: string, name: string | null): Promise<Forge>
  /**
   * Opens the sign-in of people at the configured provider; null if none is configured. Throws
   * DrydockError `no_key`.
   */
  openPeopleDoor(): Promise<PeopleDoor | null>
}
