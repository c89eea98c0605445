import { follow } from '../../../src/app/wait/follow.ts'
import { openDrydock } from '../../../src/compose.ts'

/**
 * A process that follows one Run as its owner and kills itself with SIGKILL at a commit: `after`
 * its first one, or `before` its second, when the step's slow work is done but not stored. A number
 * of commits replaces the first one, and a state means the commit that moves the task's story into
 * it.
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
