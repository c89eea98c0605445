import { follow } from '../../../src/cli/start/follow.ts'
import { openDrydock } from '../../../src/compose.ts'

/**
 * A process that follows one Run as its owner and ends itself with SIGKILL once a call of the lane
 * has its started row, before the call runs.
 */
const [directory = '', run = '', lane = ''] = process.argv.slice(2)
let hasStarted = false

const drydock = await openDrydock({
  directory,
  env: process.env,
  async beforeCommit(records) {
    const entries = await records.timeline({ run, limit: 100 })
    hasStarted = entries.some(
      ({ type, call }) => type === 'tool_call' && call.lane === `${run}/${lane}` && call.finishedAt === null,
    )
  },
  afterCommit() {
    if (hasStarted) process.kill(process.pid, 'SIGKILL')
  },
})

await follow(drydock, {
  ...{ runs: [run], after: 0, coders: 1, own: true, noWait: true, humanDelayMs: null },
  onEvent: () => {},
  onNote: () => {},
  stop: new AbortController().signal,
})
