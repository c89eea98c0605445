import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { follow } from '../../../src/cli/start/follow.ts'
import { openDrydock } from '../../../src/compose.ts'

/**
 * A process that follows one Run as its owner and ends itself with SIGKILL when the run branch has
 * moved and nothing of that is stored.
 */
const [directory = '', run = '', branch = ''] = process.argv.slice(2)
const tip = () => {
  try {
    return readFileSync(join(directory, '.git/refs/heads', branch), 'utf8')
  } catch {
    return null
  }
}
const before = tip()

const drydock = await openDrydock({
  directory,
  env: process.env,
  beforeCommit() {
    if (tip() !== before) process.kill(process.pid, 'SIGKILL')
  },
})
const { exitCode } = await follow(drydock, {
  ...{ runs: [run], after: 0, coders: 2, own: true, noWait: true, humanDelayMs: null },
  onEvent: () => {},
  onNote: () => {},
  stop: new AbortController().signal,
})
process.exitCode = exitCode
