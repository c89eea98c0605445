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
      // With the search for tools it would know of Drydock's only by their names.
      ENABLE_TOOL_SEARCH: 'false',
      // Its user may be root there.
      IS_SANDBOX: '1',
      ANTHROPIC_MODEL: model,
      ANTHROPIC_SMALL_FAST_MODEL: model,
      // It would ask for the most that its model can write, and so much is reserved.
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
