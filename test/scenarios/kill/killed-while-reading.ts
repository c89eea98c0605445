import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { follow } from '../../../src/cli/start/follow.ts'
import { openDrydock } from '../../../src/compose.ts'

/**
 * A process that follows one Run as its owner and ends itself with SIGKILL once a call of the lane
 * has its started row, before the call runs.
 */
const [directory = '', run = '', lane = ''] = process.argv.slice(2)
const query = 'select count(*) as n from tool_executions where lane = ? and finished_at is null'

const drydock = await openDrydock({
  directory,
  env: process.env,
  afterCommit() {
    const db = new DatabaseSync(join(drydock.state, 'drydock.db'), { readOnly: true })
    const started = db.prepare(query).get(`${run}/${lane}`)
    db.close()
    if (started?.n) process.kill(process.pid, 'SIGKILL')
  },
})

await follow(drydock, {
  ...{ runs: [run], after: 0, coders: 1, own: true, noWait: true, humanDelayMs: null },
  onEvent: () => {},
  onNote: () => {},
  stop: new AbortController().signal,
})
