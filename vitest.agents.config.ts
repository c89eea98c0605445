import { defineConfig } from 'vitest/config'

/** Agents of other makers from the npm registry, which take minutes: `npm run test:agents`. */
export default defineConfig({
  test: { include: ['test/**/*.agents.ts'], pool: 'forks', maxWorkers: 1, fileParallelism: false },
})
