import type { KnownAgent } from './known-agent.ts'

/** Features that would contact other hosts, or compress requests so that nobody can read them. */
const features = [
  'apps',
  'plugins',
  'plugin_discovery_prefetch',
  'api_key_model_discovery',
  'enable_request_compression',
]

/** A JSON string is also a valid TOML string. */
const quoted = (text: string) => JSON.stringify(text)

export const codex: KnownAgent = {
  title: 'Codex',
  command: ['codex-acp'],
  packages: ['@agentclientprotocol/codex-acp'],
  helpers: {},
  kinds: ['openai', 'openai-compatible', 'ollama'],
  hasTools: true,
  authentication: 'api-key',
  surroundings({ origin, model, key }) {
    const config = [
      `model = ${quoted(model)}`,
      'model_provider = "drydock"',
      'check_for_update_on_startup = false',
      // The provider would search, and the gateway passes on nothing that leads past the sandbox.
      'web_search = "disabled"',
      '[analytics]',
      'enabled = false',
      '[features]',
      ...features.map((feature) => `${feature} = false`),
      '[model_providers.drydock]',
      'name = "Drydock"',
      `base_url = ${quoted(`${origin}/v1`)}`,
      'env_key = "OPENAI_API_KEY"',
      'wire_api = "responses"',
    ]
    return {
      env: {
        OPENAI_API_KEY: key,
        MODEL_PROVIDER: 'drydock',
        // Codex already runs in a sandbox, where its own cannot start.
        INITIAL_AGENT_MODE: 'agent-full-access',
        NO_BROWSER: '1',
      },
      files: { '.codex/config.toml': `${config.join('\n')}\n` },
    }
  },
}
