import type { ProviderKind } from '../providers.ts'
import { jsonFile, type KnownAgent } from './known-agent.ts'

/** Cline's own names of providers, and the path of their base URLs. */
const providers = {
  anthropic: ['anthropic', '/v1'],
  // Cline's own OpenAI provider always offers images, which the gateway does not pass on.
  openai: ['openai-compatible', '/v1'],
  google: ['gemini', '/v1beta'],
  'openai-compatible': ['openai-compatible', '/v1'],
  ollama: ['openai-compatible', '/v1'],
} as const satisfies Record<ProviderKind, readonly [string, string]>

const settings = {
  autoUpdateEnabled: false,
  telemetryOptOut: true,
  // The provider would search, and the gateway passes on nothing that leads past the sandbox.
  tools: { web_search: { enabled: false } },
}

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
    const chosen = { provider, apiKey: key, model, baseUrl: `${origin}${path}` }
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
        '.cline/data/settings/global-settings.json': jsonFile(settings),
        '.cline/data/settings/providers.json': jsonFile({
          ...configured,
          providers: { [provider]: { settings: chosen, updatedAt, tokenSource: 'manual' } },
        }),
        // Cline refuses a model that no list names.
        '.cline/data/settings/models.json': jsonFile({
          version: 1,
          providers: { [provider]: { models: { [model]: known } } },
        }),
        // Cline takes no tools from its client, so they are configured here.
        '.cline/data/settings/cline_mcp_settings.json': jsonFile({ mcpServers: { drydock: { command, args } } }),
      },
    }
  },
}
