import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createSharedEngine } from '../../src/adapters/engine/shared-engine.ts'
import { makeServer } from '../postgres/server.ts'
import type { WorkerSettings } from './engine-worker.ts'
import { sharedStore } from './engines.ts'

/** `STORM_SEED` repeats an earlier run's random choices. */
const seed = Number(process.env.STORM_SEED ?? Date.now() % 100_000)
const blows = 60
const steps = 400
const ids = Array.from({ length: 10 }, (_, n) => `m${n}`)
const signs = { beatMs: 100, silentMs: 1_000, hostMs: 2_000, lostMs: 500 }
const workerFile = fileURLToPath(new URL('engine-worker.ts', import.meta.url))

test(`three workers weather ${blows} blows, and take every step once (seed ${seed})`, {
  timeout: 3_600_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'drydock-workers-'))
  await chmod(folder, 0o755)
  const server = await makeServer(join(folder, 'server'))
  const location = JSON.stringify({ url: server.url(), schema: 'drydock_storm' })
  const store = await sharedStore.open(location)
  const patient = { ...signs, silentMs: 3_600_000, hostMs: 3_600_000 }
  const onFailure = () => {}
  const engine = createSharedEngine({ store, clock: createSystemClock(), host: 'here', signs: patient, onFailure })
  const random = chance(seed)
  const workers = new Set<ChildProcess>()
  const ended: Promise<void>[] = []
  let isOver = false

  /** A worker that fails is killed, and one that has ended is started again. */
  async function keepWorker(n: number): Promise<void> {
    for (let times = 0; !isOver; times += 1) {
      const own = join(folder, `worker-${n}-${times}`)
      await mkdir(own)
      const settings: WorkerSettings = { location, host: 'here', signs, mode: 'steady', folder: own, steps }
      const args = ['--disable-warning=ExperimentalWarning', workerFile, JSON.stringify(settings)]
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] })
      workers.add(child)
      let said = ''
      child.stdout.on('data', (chunk) => {
        said += chunk
        if (said.includes('failed')) child.kill('SIGKILL')
      })
      await once(child, 'close')
      workers.delete(child)
      expect(said).not.toContain('EEXIST')
    }
  }

  const told = async () =>
    (await store.events({ after: 0, limit: 10_000 })).flatMap(({ type, data }) =>
      type === 'resumed' ? [data.lane] : [],
    )

  /** Resolves when this many steps, or all, were taken. */
  async function taken(count: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const look = async () => {
      if ((await told()).length >= Math.min(count, ids.length * steps)) resolve()
    }
    const stopListening = engine.onCommit(() => void look().catch(reject))
    await look()
    await promise
    stopListening()
  }

  await engine.transact(async (tx) => {
    for (const id of ids) {
      const lane = { id, kind: 'lane', run: 'run', story: null, state: 'ASKING', data: {} } as const
      await tx.queue(await tx.insertMachine(lane))
    }
  })
  for (let n = 0; n < 3; n += 1) ended.push(keepWorker(n))
  for (let blow = 1; blow <= blows; blow += 1) {
    const count = Math.floor((blow * ids.length * steps) / (blows + 1))
    await taken(count)
    const struck = [...workers][Math.floor(random() * workers.size)]
    const kind = random()
    if (kind < 0.4) struck?.kill('SIGKILL')
    else if (kind < 0.8) {
      struck?.kill('SIGSTOP')
      await taken(count + 30)
      struck?.kill('SIGCONT')
    } else {
      await server.stop('SIGQUIT')
      await server.start()
    }
  }
  await taken(ids.length * steps)
  isOver = true
  for (const child of workers) child.kill('SIGKILL')
  await Promise.all(ended)
  const expected = ids.flatMap((id) => Array.from({ length: steps }, (_, n) => `${id} ${n + 1} here`))
  expect((await told()).toSorted()).toEqual(expected.toSorted())
  expect(await store.jobs()).toEqual([])
  await engine.stop()
  await store.close()
  await server.stop('SIGQUIT')
  await rm(folder, { recursive: true, force: true })
})

/** Random numbers from 0 to 1 by a seed. */
function chance(from: number): () => number {
  let state = from
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
