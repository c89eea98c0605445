import { jsonFile, type KnownAgent } from './known-agent.ts'

const settings = {
  security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  // With the search for tools it would know of Drydock's only by their names.
  tools: { approvalMode: 'yolo', toolSearch: { enabled: false } },
  // Calls of its model that are not about the story.
  memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
  ui: { enableFollowupSuggestions: false },
}

export const qwen: KnownAgent = {
  title: 'Qwen Code',
  command: ['qwen', '--acp'],
  packages: ['@qwen-code/qwen-code'],
  helpers: {},
  kinds: ['openai-compatible', 'ollama', 'openai'],
  hasTools: true,
  authentication: 'openai',
  surroundings: ({ origin, model, key }) => ({
    env: {
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: `${origin}/v1`,
      QWEN_CODE_NO_RELAUNCH: 'true',
      // Its first request would go out before Drydock's tools are there.
      QWEN_CODE_LEGACY_MCP_BLOCKING: '1',
      QWEN_CODE_SUPPRESS_YOLO_WARNING: '1',
      OPENAI_MODEL: model,
    },
    files: { '.qwen/settings.json': jsonFile(settings) },
  }),
}
