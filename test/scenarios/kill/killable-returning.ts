import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { follow } from '../../../src/cli/start/follow.ts'
import { openDrydock } from '../../../src/compose.ts'

/**
 * A process that follows one Run as its owner and ends itself with SIGKILL when a story that has
 * worked before is about to be set up again.
 */
const [directory = '', run = ''] = process.argv.slice(2)
let db: DatabaseSync | null = null

const drydock = await openDrydock({
  directory,
  env: process.env,
  afterCommit() {
    db ??= new DatabaseSync(join(drydock.state, 'drydock.db'), { readOnly: true })
    const returning = `select id from machines where kind = 'story' and state = 'SETUP' and json_extract(data, '$.pending.event') = 'merge_returned'`
    if (db.prepare(returning).get()) process.kill(process.pid, 'SIGKILL')
  },
})
const { exitCode } = await follow(drydock, {
  ...{ runs: [run], after: 0, coders: 2, own: true, noWait: true, humanDelayMs: null },
  onEvent: () => {},
  onNote: () => {},
  stop: new AbortController().signal,
})
process.exitCode = exitCode
