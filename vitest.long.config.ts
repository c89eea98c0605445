import { globSync } from 'node:fs'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { randomOf } from './test/random.ts'

const long = (folders: string) => `test/${folders}/**/*.long.ts`

/** The parts of `npm run test:long` that vitest runs; each long test is in one of them. */
const partsOf: Readonly<Record<string, readonly string[]>> = {
  gate: [long('{gate,domain}')],
  hub: [long('{hub,client,server,ci,evaluation}')],
  postgres: [long('postgres')],
  browser: [long('e2e')],
  contracts: [long('{contracts,adapters}')],
  repositories: [long('scenarios/repositories')],
  deploy: [long('deploy')],
}

/**
 * The scenarios that run on real parts, apart from those that `npm test` runs there already: one file
 * in five, drawn by the seed that `scripts/long.ts` prints. Without a seed, all of them.
 */
function realScenarios(seed: string | undefined): string[] {
  const files = globSync('test/scenarios/**/*.test.ts', {
    exclude: ['test/scenarios/repositories/!(restore|retention).test.ts'],
  }).sort()
  if (seed === undefined) return files
  const random = randomOf(Number(seed))
  return files.filter(() => random() < 0.2)
}

const rest = { include: ['test/**/*.long.ts'], exclude: Object.values(partsOf).flat() }

const part = (name: string, test: TestProjectInlineConfiguration['test']) => ({
  extends: true as const,
  test: { name, ...test },
})

export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Many tests start a hundred processes: a slow machine may take many times as long.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 180_000 } },
    projects: [
      part('scenarios', {
        include: realScenarios(process.env.DRYDOCK_SCENARIO_SEED),
        env: { DRYDOCK_TEST_WORLD: 'real' },
      }),
      ...Object.entries(partsOf).map(([name, include]) => part(name, { include: [...include] })),
      part('rest', rest),
      part('storm', { include: ['test/**/*.storm.ts'], testTimeout: 5_000 }),
      part('agents', {
        include: ['test/**/*.agents.ts'],
        globalSetup: ['test/global-setup.ts', 'test/real-agents/agent-table.ts'],
      }),
    ],
  },
})
