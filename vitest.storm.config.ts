import { defineConfig } from 'vitest/config'

/** Tests that take minutes: every point at which a process can be killed. */
export default defineConfig({
  test: {
    include: ['test/**/*.storm.ts'],
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    expect: { poll: { timeout: 60_000 } },
  },
})
