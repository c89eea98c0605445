import { follow } from '../../../src/app/wait/follow.ts'
import { openDrydock } from '../../../src/compose.ts'
import type { Story } from '../../../src/domain/story/story.ts'

/**
 * A process that follows one Run as its owner and ends itself with SIGKILL when a story that has
 * worked before is about to be set up again.
 */
const [directory = '', run = ''] = process.argv.slice(2)
let isReturning = false

const drydock = await openDrydock({
  directory,
  env: process.env,
  async beforeCommit(records) {
    const stories = (await records.machines({ kind: 'story', states: ['SETUP'] })) as readonly Story[]
    isReturning = stories.some(({ data }) => data.pending?.event === 'merge_returned')
  },
  afterCommit() {
    if (isReturning) process.kill(process.pid, 'SIGKILL')
  },
})
const { exitCode } = await follow(drydock, {
  ...{ runs: [run], after: 0, coders: 2, own: true, noWait: true, humanDelayMs: null },
  onEvent: () => {},
  onNote: () => {},
  stop: new AbortController().signal,
})
process.exitCode = exitCode
