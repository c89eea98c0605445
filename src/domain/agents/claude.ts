import { jsonFile, type KnownAgent } from './known-agent.ts'

export const claude: KnownAgent = {
  title: 'Claude Code',
  command: ['claude-agent-acp'],
  packages: ['@agentclientprotocol/claude-agent-acp'],
  helpers: {},
  kinds: ['anthropic'],
  hasTools: true,
  authentication: null,
  surroundings: ({ origin, model, key }) => ({
    env: {
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_BASE_URL: origin,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
      // With tool search on, Claude Code would see only the names of Drydock's tools.
      ENABLE_TOOL_SEARCH: 'false',
      // The user inside the sandbox may be root, which Claude Code refuses elsewhere.
      IS_SANDBOX: '1',
      ANTHROPIC_MODEL: model,
      ANTHROPIC_SMALL_FAST_MODEL: model,
      // Claude Code asks for the model's maximum output by default, and all of that would be
      // reserved.
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: '32000',
    },
    files: {
      '.claude/settings.json': jsonFile({
        permissions: { defaultMode: 'bypassPermissions' },
        skipDangerousModePermissionPrompt: true,
      }),
    },
  }),
}
