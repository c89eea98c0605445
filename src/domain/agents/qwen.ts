import { jsonFile, type KnownAgent } from './known-agent.ts'

const settings = {
  security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
  general: { enableAutoUpdate: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  // With tool search on, Qwen would see only the names of Drydock's tools.
  tools: { approvalMode: 'yolo', toolSearch: { enabled: false } },
  // These features make model calls that are not about the story.
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
      // Without this the first request goes out before Drydock's tools are available.
      QWEN_CODE_LEGACY_MCP_BLOCKING: '1',
      QWEN_CODE_SUPPRESS_YOLO_WARNING: '1',
      OPENAI_MODEL: model,
    },
    files: { '.qwen/settings.json': jsonFile(settings) },
  }),
}
