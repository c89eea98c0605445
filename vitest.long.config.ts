import { defineConfig } from 'vitest/config'

/** The tests of `npm run test:long`, which take minutes. */
export default defineConfig({
  test: {
    include: ['test/**/*.long.ts'],
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Many tests start a hundred processes: a slow machine may take many times as long.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
