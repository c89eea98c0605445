import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { follow } from '../../../src/cli/start/follow.ts'
import { openDrydock } from '../../../src/compose.ts'

/**
 * A process that follows one Run as its owner, and ends itself with SIGKILL right after the commit
 * with its first question.
 */
const [directory = '', run = ''] = process.argv.slice(2)

const drydock = await openDrydock({
  directory,
  env: process.env,
  afterCommit() {
    const file = join(drydock.state, 'drydock.db')
    if (!existsSync(file)) return
    const database = new DatabaseSync(file, { readOnly: true })
    const asked = database.prepare(`select 1 from events where type = 'escalation'`).get()
    database.close()
    if (asked) process.kill(process.pid, 'SIGKILL')
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
