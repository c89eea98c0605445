import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/postgres/global-setup.ts'],
    pool: 'forks',
    // Two leave a fifth of two processors idle, since tests wait for processes and disks.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: {
      provider: 'v8',
      include: ['src/domain/**', 'src/agents/**', 'src/gate/**', 'src/workflow/**'],
      reporter: ['text-summary'],
      thresholds: {
        'src/domain/**': { lines: 85 },
        'src/agents/**': { lines: 85 },
        'src/gate/**': { lines: 85 },
        'src/workflow/**': { lines: 85 },
      },
    },
  },
})
