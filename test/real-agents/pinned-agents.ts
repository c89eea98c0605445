import type { ProviderKind } from '../../src/domain/providers.ts'

export type Trial = 'task' | 'mends' | 'asks' | 'kill' | 'shutIn'

/** One version of an agent to try, and the format of its model. */
export interface PinnedAgent {
  readonly name: string
  readonly packages: Readonly<Record<string, string>>
  readonly kind: ProviderKind
  /** The reasons why trials of it fail, in words for the table. */
  readonly cannot?: { readonly [Name in Trial]?: string }
}

/** The versions to try. The run that tries them writes docs/agents.md. */
export const pinnedAgents: readonly PinnedAgent[] = [
  { name: 'opencode', packages: { 'opencode-ai': '1.18.33' }, kind: 'anthropic' },
  { name: 'gemini', packages: { '@google/gemini-cli': '0.61.0' }, kind: 'google' },
  { name: 'qwen', packages: { '@qwen-code/qwen-code': '0.24.4' }, kind: 'openai-compatible' },
  { name: 'cline', packages: { cline: '3.0.65' }, kind: 'openai-compatible' },
  { name: 'codex', packages: { '@agentclientprotocol/codex-acp': '2.6.0' }, kind: 'openai' },
  { name: 'claude', packages: { '@agentclientprotocol/claude-agent-acp': '0.101.0' }, kind: 'anthropic' },
  {
    name: 'pi',
    packages: { 'pi-acp': '0.0.34', '@earendil-works/pi-coding-agent': '0.87.1' },
    kind: 'openai',
    cannot: { asks: 'no: its adapter passes no MCP tools on' },
  },
]

export function pinnedAgent(wanted: string): PinnedAgent {
  const found = pinnedAgents.find(({ name }) => name === wanted)
  if (found === undefined) throw new Error(`no agent ${wanted} is pinned`)
  return found
}
