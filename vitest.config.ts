import { defineConfig } from 'vitest/config'

/** Folders whose tests take long: each builds repositories, starts sandboxes, browsers or several machines. */
const whole = 'test/{ci,client,e2e,evaluation,gate,hub,postgres,real-agents,scenarios}/**/*.test.ts'

/** Of these, the main way of each promise. The others try it in more languages, orders and places. */
const mainWays = [
  'test/ci/{ci-init,pipelines}.test.ts',
  'test/client/{client,records,tls}.test.ts',
  'test/evaluation/!(sample-suite).test.ts',
  'test/e2e/{diff,finish,hostile,hub,live}.test.ts',
  'test/gate/!(gate-runners).test.ts',
  'test/hub/{control,control-attacks,worker-protocol,workers}.test.ts',
  'test/postgres/{kill,order-of-statements,state,statements}.test.ts',
  'test/scenarios/{gate,land-hostile,land-onto,malformed,mcp,no-change,receipts,review,scouts,task,verify}.test.ts',
  'test/scenarios/{acp/editor-drives,agents/agent-task,forge/watch,money/budget}.test.ts',
  'test/scenarios/crew/{architect-end-to-end,crew,escalation,merge-queue,stories}.test.ts',
  'test/scenarios/kill/{crew-kill-after,kill-before-commit,recovery}.test.ts',
  'test/scenarios/repositories/{demo,init,set-up}.test.ts',
]

export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    // Two leave a fifth of two processors idle, since tests wait for processes and disks.
    maxWorkers: 3,
    // Many tests start a hundred processes: a slow machine with two cores may take many times as long.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      { extends: true, test: { name: 'units', include: ['test/**/*.test.ts'], exclude: [whole] } },
      { extends: true, test: { name: 'main', include: mainWays } },
      { extends: true, test: { name: 'more', include: [whole], exclude: mainWays } },
    ],
    // `npm run coverage`: measuring made one file of scenarios a third longer.
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
