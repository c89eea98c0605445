import { follow } from '../../../src/app/wait/follow.ts'
import { openDrydock } from '../../../src/compose.ts'

/**
 * A process that follows one Run as its owner and ends itself with SIGKILL at a commit: `after` its
 * first one, or `before` its second, when all the slow work of that step has been done and nothing
 * of it is stored. With a number of commits it gets so far instead of to the first, and with a state
 * to the commit by which the task's story is in it.
 */
const [directory = '', run = '', moment = '', far = '1', coders = '1'] = process.argv.slice(2)
const kill = () => process.kill(process.pid, 'SIGKILL')
let commits = 0
let state: string | undefined

const drydock = await openDrydock({
  directory,
  env: process.env,
  async beforeCommit(records) {
    if (moment === 'before' && commits === Number(far)) kill()
    state = (await records.machine(`${run}/task`))?.state
  },
  afterCommit() {
    commits += 1
    if (moment === 'after' && (commits === Number(far) || state === far)) kill()
  },
})

const { exitCode } = await follow(drydock, {
  runs: [run],
  after: 0,
  coders: Number(coders),
  own: true,
  noWait: false,
  humanDelayMs: 0,
  onEvent: () => {},
  onNote: () => {},
  stop: new AbortController().signal,
})
process.exitCode = exitCode
