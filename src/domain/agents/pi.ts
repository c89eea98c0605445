import type { ProviderKind } from '../providers.ts'
import { jsonFile, type KnownAgent } from './known-agent.ts'

/** Pi's names of the formats, and the path of their base URLs. */
const formats = {
  anthropic: ['anthropic-messages', ''],
  openai: ['openai-responses', '/v1'],
  google: ['google-generative-ai', '/v1beta'],
  'openai-compatible': ['openai-completions', '/v1'],
  ollama: ['openai-completions', '/v1'],
} as const satisfies Record<ProviderKind, readonly [string, string]>

const provider = 'drydock'

export const pi: KnownAgent = {
  title: 'Pi',
  command: ['pi-acp'],
  packages: ['pi-acp', '@earendil-works/pi-coding-agent'],
  helpers: { PI_ACP_PI_COMMAND: 'pi' },
  kinds: ['anthropic', 'openai', 'google', 'openai-compatible', 'ollama'],
  hasTools: false,
  authentication: null,
  surroundings({ kind, origin, model, key }) {
    const [api, path] = formats[kind]
    const models = [{ id: model }]
    const entry = { baseUrl: `${origin}${path}`, api, apiKey: key, models }
    return {
      env: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' },
      files: {
        '.pi/agent/models.json': jsonFile({ providers: { [provider]: entry } }),
        '.pi/agent/settings.json': jsonFile({ defaultProvider: provider, defaultModel: model, quietStartup: true }),
      },
    }
  },
}
