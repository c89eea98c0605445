import type { KnownAgent } from './known-agent.ts'

/** What it would ask other hosts for, or send in a way that nobody can read along. */
const features = [
  'apps',
  'plugins',
  'plugin_discovery_prefetch',
  'api_key_model_discovery',
  'enable_request_compression',
]

/** A string of JSON is one of TOML as well. */
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
      // Its provider would search, and the gateway passes on nothing that leads past the sandbox.
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
        // It is in a sandbox already, where its own cannot start.
        INITIAL_AGENT_MODE: 'agent-full-access',
        NO_BROWSER: '1',
      },
      files: { '.codex/config.toml': `${config.join('\n')}\n` },
    }
  },
}
