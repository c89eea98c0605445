import type { AgentHomes } from '../../../ports/agent-homes.ts'
import type { AgentToolServers } from '../../../ports/agent-tools.ts'
import type { AgentStart, CodingAgents } from '../../../ports/coding-agent.ts'
import type { ModelGateways } from '../../../ports/model-gateway.ts'

/** What a foreign agent works with as the editor of a story. */
export interface ForeignAgents {
  readonly agents: CodingAgents
  readonly tools: AgentToolServers
  readonly gateways: ModelGateways
  readonly homes: AgentHomes
  /** What is configured for an agent. DrydockError when there is none of that name. */
  readonly settings: (name: string) => Promise<AgentSettings>
}

export interface AgentSettings
  extends Pick<AgentStart, 'command' | 'model' | 'files' | 'credentials' | 'authentication'> {
  /**
   * A hosted provider, a local one, or an entry of `providers`: where the gateway leads. Null for
   * an agent with a login of its own, which has no gateway.
   */
  readonly provider: string | null
  readonly env: Readonly<Record<string, string>>
  /** Shown to it read-only, beside those of every sandbox. */
  readonly readOnlyPaths: readonly string[]
}
