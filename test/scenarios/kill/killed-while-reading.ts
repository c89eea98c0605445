import { follow } from '../../../src/app/wait/follow.ts'
import { openDrydock } from '../../../src/compose.ts'

/**
 * A process that follows one Run as its owner and ends itself with SIGKILL once a reply of the lane
 * is stored, before its call runs.
 */
const [directory = '', run = '', lane = ''] = process.argv.slice(2)
let isActing = false

const drydock = await openDrydock({
  directory,
  env: process.env,
  async beforeCommit(records) {
    isActing = (await records.machine(`${run}/${lane}`))?.state === 'ACTING'
  },
  afterCommit() {
    if (isActing) process.kill(process.pid, 'SIGKILL')
  },
})

await follow(drydock, {
  ...{ runs: [run], after: 0, coders: 1, own: true, noWait: true, humanDelayMs: null },
  onEvent: () => {},
  onNote: () => {},
  stop: new AbortController().signal,
})
