import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

const long = (folders: string) => `test/${folders}/**/*.long.ts`

/** The parts of `npm run test:long` that vitest runs; each long test is in one of them. */
const partsOf: Readonly<Record<string, readonly string[]>> = {
  gate: [long('{gate,domain}')],
  hub: [long('{hub,client,server,ci,evaluation}')],
  postgres: [long('postgres')],
  browser: [long('e2e')],
  contracts: [long('{contracts,adapters}')],
  repositories: [long('scenarios/repositories')],
}

/** Scenarios that `npm test` runs on real parts already. */
const alwaysReal = ['test/scenarios/repositories/!(restore|retention).test.ts']

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
    expect: { poll: { timeout: 60_000 } },
    projects: [
      part('scenarios', {
        include: ['test/scenarios/**/*.test.ts'],
        exclude: alwaysReal,
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
