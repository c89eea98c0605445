import { defineConfig } from 'vitest/config'

/** Ten thousand cases a target, of a new seed each time. */
export default defineConfig({
  test: { include: ['test/fuzz/*.fuzz.ts'], pool: 'forks', maxWorkers: 2, testTimeout: 580_000, hookTimeout: 60_000 },
})
