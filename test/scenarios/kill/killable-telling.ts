import { follow } from '../../../src/app/wait/follow.ts'
import { openDrydock } from '../../../src/compose.ts'

/**
 * A process that follows one Run as its owner, and ends itself with SIGKILL right after the commit
 * with its first question.
 */
const [directory = '', run = ''] = process.argv.slice(2)
let hasAsked = false

const drydock = await openDrydock({
  directory,
  env: process.env,
  async beforeCommit(records) {
    hasAsked = (await records.recentEvents({ run, types: ['escalation'], limit: 1 })).length > 0
  },
  afterCommit() {
    if (hasAsked) process.kill(process.pid, 'SIGKILL')
  },
})

await follow(drydock, {
  runs: [run],
  after: 0,
  coders: 1,
  own: true,
  noWait: true,
  humanDelayMs: 0,
  onEvent: () => {},
  onNote: () => {},
  stop: new AbortController().signal,
})
