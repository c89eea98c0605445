import { defineConfig } from 'vitest/config'

/** Folders whose tests need no other process, apart from those that say so in test/README.md. */
const inProcess = [
  'test/{agents,cli,config,domain,scenarios,server,workflow,world}/**/*.test.ts',
  'test/gate/!(real)/**/*.test.ts',
  'test/gate/*.test.ts',
]

/** The tests of `npm test`, the same at every commit. Those of `npm run test:long` end in `.long.ts`. */
export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    experimental: { viteModuleRunner: false },
    // Files of one worker share its modules: each would otherwise import 1,600 of them again.
    isolate: false,
    maxWorkers: 2,
    // Tests that are marked as concurrent wait for clocks most of the time.
    maxConcurrency: 20,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      { extends: true, test: { name: 'in-process', include: inProcess } },
      { extends: true, test: { name: 'real', include: ['test/**/*.test.ts'], exclude: inProcess } },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/{domain,agents,gate,workflow}/**/*.ts'],
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
