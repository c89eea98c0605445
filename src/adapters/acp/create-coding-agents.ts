import type { CodingAgents } from '../../ports/coding-agent.ts'
import type { CodingAgentsOptions } from './open-agent.ts'

/** Agents that speak the Agent Client Protocol, each entirely inside its own sandbox. */
export function createCodingAgents(options: CodingAgentsOptions): CodingAgents {
  return {
    async open(starting, signal) {
      signal.throwIfAborted()
      // The protocol's library is loaded only here: most Runs have no foreign agent.
      const { openAgent } = await import('./open-agent.ts')
      return openAgent(options, starting, signal)
    },
  }
}
