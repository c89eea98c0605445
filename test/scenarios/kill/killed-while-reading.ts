import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { follow } from '../../../src/cli/start/follow.ts'
import { openDrydock } from '../../../src/compose.ts'

/**
 * A process that follows one Run as its owner and ends itself with SIGKILL once a reply of the lane
 * is stored, before its call runs.
 */
const [directory = '', run = '', lane = ''] = process.argv.slice(2)
const query = "select count(*) as n from machines where id = ? and state = 'ACTING'"

const drydock = await openDrydock({
  directory,
  env: process.env,
  afterCommit() {
    const db = new DatabaseSync(join(drydock.state, 'drydock.db'), { readOnly: true })
    const acting = db.prepare(query).get(`${run}/${lane}`)
    db.close()
    if (acting?.n) process.kill(process.pid, 'SIGKILL')
  },
})

await follow(drydock, {
  ...{ runs: [run], after: 0, coders: 1, own: true, noWait: true, humanDelayMs: null },
  onEvent: () => {},
  onNote: () => {},
  stop: new AbortController().signal,
})
