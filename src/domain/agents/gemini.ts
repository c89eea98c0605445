import { jsonFile, type KnownAgent } from './known-agent.ts'

const settings = {
  security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
}

export const gemini: KnownAgent = {
  title: 'Gemini CLI',
  command: ['gemini', '--acp'],
  packages: ['@google/gemini-cli'],
  helpers: {},
  kinds: ['google'],
  hasTools: true,
  authentication: 'gemini-api-key',
  surroundings: ({ origin, model, key }) => ({
    env: {
      GEMINI_API_KEY: key,
      GOOGLE_GEMINI_BASE_URL: origin,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_MODEL: model,
    },
    files: { '.gemini/settings.json': jsonFile(settings) },
  }),
}
