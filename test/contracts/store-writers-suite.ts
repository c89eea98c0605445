import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { StoreAdapter } from './stores.ts'

/** Tests stores that several processes can open. */
export function writersSuite(adapter: StoreAdapter): void {
  test('several processes that write to a new store lose nothing and get no error', async () => {
    const fresh = await adapter.createLocation()
    const count = 40
    const names = ['one', 'two', 'three']
    const writers = await Promise.all(names.map((name) => startWriter(adapter.name, fresh, name, count)))
    for (const writer of writers) writer.go()
    expect(await Promise.all(writers.map(({ done }) => done))).toEqual(names.map(() => ({ code: 0, errors: '' })))
    const result = await adapter.open(fresh)
    const events = await result.events({ after: 0, limit: 1_000 })
    for (const name of names) {
      const own = events.flatMap(({ type, data }) =>
        type === 'prepare' && data.step === name ? [Number(data.command)] : [],
      )
      expect(own).toEqual(Array.from({ length: count }, (_, i) => i + 1))
    }
    expect(await result.messages('shared')).toHaveLength(names.length * count)
    await result.close()
    await adapter.remove(fresh)
  })
}

const writerFile = fileURLToPath(new URL('store-writer.ts', import.meta.url))

/** A separate process that writes on command. */
async function startWriter(adapter: string, location: string, name: string, count: number) {
  const args = ['--disable-warning=ExperimentalWarning', writerFile, adapter, location, name, String(count)]
  const child = spawn(process.execPath, args, { stdio: 'pipe' })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  await once(child.stdout, 'data')
  const done = once(child, 'close').then(([code]) => ({ code: code as number, errors }))
  return { done, go: () => void child.stdin.write('go\n') }
}
