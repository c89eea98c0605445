import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createSharedEngine } from '../../src/adapters/engine/shared-engine.ts'
import { createPostgresStore } from '../../src/adapters/store/postgres/postgres-store.ts'
import { takeStep } from './load.ts'

export interface WorkerSettings {
  readonly url: string
  readonly schema: string
  /** Hosts of the workers in this process, each with its own store and engine. */
  readonly hosts: readonly string[]
  /** Steps that a worker takes at once. */
  readonly concurrency: number
  readonly latencyMs: number
  /** The number of steps of each machine. */
  readonly steps: number
}

/** Runs several workers of a hub in one process, whose steps wait as long as a model would. */
const settings: WorkerSettings = JSON.parse(process.argv[2] ?? '{}')
const { url, schema, hosts, concurrency, latencyMs, steps } = settings
const clock = createSystemClock()
let failed = 0

const workers = await Promise.all(
  hosts.map(async (host) => {
    const store = await createPostgresStore({ url, schema, shown: 'bench', id: 'bench', clock, role: 'worker' })
    const onFailure = (error: unknown) => {
      failed += 1
      if (failed < 4) process.stderr.write(`${host}: ${String(error)}\n`)
    }
    // A measuring machine is busy, so no host may be given up for a late heartbeat.
    const signs = { beatMs: 2_000, silentMs: 600_000, hostMs: 600_000, lostMs: 0 }
    const engine = createSharedEngine({ store, clock, host, keepsState: false, onFailure, signs })
    await engine.transact(async () => {})
    return { store, engine }
  }),
)
process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  if (line !== 'go') break
  for (const { engine } of workers) {
    engine.work('lane', concurrency, async (step, commit) => {
      if (latencyMs > 0) await delay(latencyMs * (0.5 + Math.random()))
      await commit((tx) => takeStep(tx, step, steps))
    })
  }
}
const { user, system } = process.cpuUsage()
process.stdout.write(`${JSON.stringify({ failed, rss: process.memoryUsage.rss(), cpuMs: (user + system) / 1_000 })}\n`)
process.exit(0)
