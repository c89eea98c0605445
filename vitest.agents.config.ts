import { defineConfig } from 'vitest/config'

/** Agents of other makers from the npm registry, which take minutes: `npm run test:agents`. */
export default defineConfig({
  test: {
    include: ['test/**/*.agents.ts'],
    globalSetup: ['test/real-agents/agent-table.ts'],
    pool: 'forks',
    maxWorkers: 2,
    expect: { poll: { timeout: 60_000 } },
  },
})
