import { defineConfig } from 'vitest/config'

/** Three machines, a hub and their faults: `npm run test:long -- hosts`, which gives it its namespaces. */
export default defineConfig({
  test: { include: ['test/**/*.hosts.ts'], pool: 'forks', maxWorkers: 1, hookTimeout: 3_600_000, testTimeout: 120_000 },
})
