import type { ProviderKind } from '../providers.ts'
import type { KnownAgent } from './known-agent.ts'

/** OpenCode's library for each format, and the path of its base URL. */
const libraries = {
  anthropic: ['@ai-sdk/anthropic', '/v1'],
  openai: ['@ai-sdk/openai', '/v1'],
  google: ['@ai-sdk/google', '/v1beta'],
  'openai-compatible': ['@ai-sdk/openai-compatible', '/v1'],
  ollama: ['@ai-sdk/openai-compatible', '/v1'],
} as const satisfies Record<ProviderKind, readonly [string, string]>

const provider = 'drydock'

export const opencode: KnownAgent = {
  title: 'OpenCode',
  command: ['opencode', 'acp'],
  packages: ['opencode-ai'],
  helpers: {},
  kinds: ['anthropic', 'openai', 'google', 'openai-compatible', 'ollama'],
  hasTools: true,
  authentication: null,
  surroundings({ kind, origin, model, key }) {
    const [npm, path] = libraries[kind]
    const name = `${provider}/${model}`
    const config = {
      autoupdate: false,
      share: 'disabled',
      permission: 'allow',
      enabled_providers: [provider],
      model: name,
      small_model: name,
      provider: {
        [provider]: {
          npm,
          name: 'Drydock',
          options: { baseURL: `${origin}${path}`, apiKey: key },
          models: { [model]: { limit: { context: 200_000, output: 32_000 } } },
        },
      },
    }
    const off = ['AUTOUPDATE', 'MODELS_FETCH', 'LSP_DOWNLOAD', 'SHARE', 'DEFAULT_PLUGINS']
    const env = Object.fromEntries(off.map((what) => [`OPENCODE_DISABLE_${what}`, '1']))
    return { env: { ...env, OPENCODE_CONFIG_CONTENT: JSON.stringify(config) }, files: {} }
  },
}
