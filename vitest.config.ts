import { accessSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders whose tests need no other process, apart from those that say so in test/README.md. */
const inProcess = [
  'test/{agents,cli,config,domain,scenarios,server,workflow,world}/**/*.test.ts',
  'test/gate/!(real)/**/*.test.ts',
  'test/gate/*.test.ts',
]

/**
 * Files that take longest. In a fresh clone nothing tells vitest so, and one that begins last leaves
 * a processor idle for a minute.
 */
const longest = [
  'test/e2e/journeys.test.ts',
  'test/gate/real/languages.test.ts',
  'test/gate/real/findings.test.ts',
  'test/hub/workers.test.ts',
  'test/adapters/sandbox/sandbox-attacks.test.ts',
  'test/promises/kill.test.ts',
  'test/contracts/sandboxes.test.ts',
]
for (const file of longest) accessSync(join(import.meta.dirname, file))

/** Those begin first, and the many short files of the tests in process come last. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const turnOf = ({ project, moduleId }: TestSpecification): number => {
      if (project.name === 'in-process') return longest.length + 1
      const place = longest.findIndex((file) => moduleId.endsWith(`/${file}`))
      return place < 0 ? longest.length : place
    }
    return (await super.sort(files)).sort((a, b) => turnOf(a) - turnOf(b))
  }
}

/** The tests of `npm test`, the same at every commit. Those of `npm run test:long` end in `.long.ts`. */
export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    experimental: { viteModuleRunner: false },
    // Files of one worker share its modules: each would otherwise import 1,600 of them again.
    isolate: false,
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
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
