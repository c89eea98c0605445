import { once } from 'node:events'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createSqliteStore } from '../../src/adapters/store/sqlite-store.ts'
import type { JobStore } from '../../src/ports/jobs.ts'

/**
 * A process that opens a store once it reads `go`, writes many small transactions under its own
 * name, and reports when it is done.
 */
const [adapter = '', location = '', name = '', count = '0'] = process.argv.slice(2)
process.stdout.write('ready\n')
await once(process.stdin, 'data')
const store = await open()
for (let n = 1; n <= Number(count); n += 1) {
  await store.transact(async (tx) => {
    await tx.appendEvent({ run: 'shared', story: null, type: 'prepare', data: { step: name, command: `${n}` } })
    await tx.appendMessages('shared', [{ role: 'user', text: `${name} ${n}` }])
  })
}
await store.close()
process.stdin.destroy()

async function open(): Promise<JobStore> {
  if (adapter === 'sqlite') return createSqliteStore({ file: location, clock: createSystemClock() })
  const { postgres } = await import('./stores.ts')
  return postgres.open(location)
}
