import { once } from 'node:events'
import { stores } from './stores.ts'

/**
 * A process that opens a store once it hears `go`, writes many small transactions under its own
 * name, and says that it is done.
 */
const [adapter = '', location = '', name = '', count = '0'] = process.argv.slice(2)
process.stdout.write('ready\n')
await once(process.stdin, 'data')
const store = await stores.find((one) => one.name === adapter)?.open(location)
if (!store) throw new Error(`no store ${adapter}`)
for (let n = 1; n <= Number(count); n += 1) {
  await store.transact(async (tx) => {
    await tx.appendEvent({ run: 'shared', story: null, type: 'prepare', data: { step: name, command: `${n}` } })
    await tx.appendMessages('shared', [{ role: 'user', text: `${name} ${n}` }])
  })
}
await store.close()
process.stdin.destroy()
