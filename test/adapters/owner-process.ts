import { once } from 'node:events'
import { takeOwnerLock } from '../../src/adapters/engine/owner-lock.ts'
import { listenAsOwner } from '../../src/adapters/engine/owner-socket.ts'

/**
 * A process that owns a state, reports that, and counts its wake-ups aloud until its stdin ends.
 */
const [lockFile = '', socketPath = ''] = process.argv.slice(2)
const lock = takeOwnerLock(lockFile)
if (lock === null) {
  process.stdout.write('refused\n')
} else {
  let woken = 0
  const socket = await listenAsOwner(socketPath, {
    facts: () => ({ pid: process.pid, asked: 'all', only: false }),
    ask: () => {},
    live: { since: () => ({ version: 0, lanes: [], ids: [] }), onChange() {} },
    wake() {
      woken += 1
      process.stdout.write(`woken ${woken}\n`)
      socket.announce()
    },
  })
  process.stdout.write('owner\n')
  process.stdin.resume()
  await once(process.stdin, 'end')
  await socket.close()
  lock.release()
}
