import type { ProviderKind } from '../providers.ts'
import { jsonFile, type KnownAgent } from './known-agent.ts'

/** Its own names of providers, and the path of their base URLs. */
const providers = {
  anthropic: ['anthropic', '/v1'],
  openai: ['openai-native', '/v1'],
  google: ['gemini', '/v1beta'],
  'openai-compatible': ['openai-compatible', '/v1'],
  ollama: ['openai-compatible', '/v1'],
} as const satisfies Record<ProviderKind, readonly [string, string]>

export const cline: KnownAgent = {
  title: 'Cline',
  command: ['cline', '--acp'],
  packages: ['cline'],
  helpers: {},
  kinds: ['anthropic', 'openai', 'google', 'openai-compatible', 'ollama'],
  hasTools: true,
  authentication: null,
  surroundings({ kind, origin, model, key, tools: [command, ...args] }) {
    const [provider, path] = providers[kind]
    const settings = { provider, apiKey: key, model, baseUrl: `${origin}${path}` }
    const updatedAt = '2026-01-01T00:00:00.000Z'
    const configured = { version: 1, lastUsedProvider: provider, modes: {} }
    const known = {
      id: model,
      name: model,
      contextWindow: 200_000,
      maxTokens: 32_000,
      capabilities: ['streaming', 'tools'],
    }
    return {
      env: { CLINE_API_KEY: key, CLINE_PROVIDER: provider, CLINE_MODEL: model },
      files: {
        '.cline/data/settings/providers.json': jsonFile({
          ...configured,
          providers: { [provider]: { settings, updatedAt, tokenSource: 'manual' } },
        }),
        // It takes no model that is in no list.
        '.cline/data/settings/models.json': jsonFile({
          version: 1,
          providers: { [provider]: { models: { [model]: known } } },
        }),
        // It takes no tools from its client.
        '.cline/data/settings/cline_mcp_settings.json': jsonFile({ mcpServers: { drydock: { command, args } } }),
      },
    }
  },
}
