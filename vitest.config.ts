import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/postgres/global-setup.ts'],
    pool: 'forks',
    // Two leave a fifth of two processors idle, since tests wait for processes and disks.
    maxWorkers: 3,
    // Many tests start a hundred processes: a slow machine with two cores may take ten times as long.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // `npm run coverage`: measuring makes each test a third longer.
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
