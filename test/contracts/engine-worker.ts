import { once } from 'node:events'
import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate as turn } from 'node:timers/promises'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createSharedEngine } from '../../src/adapters/engine/shared-engine.ts'
import { DrydockError } from '../../src/domain/drydock-error.ts'
import type { Machine } from '../../src/domain/machine.ts'
import type { StepHandler } from '../../src/ports/engine.ts'
import type { Signs } from '../../src/ports/jobs.ts'
import { sharedStore } from './engines.ts'

export interface WorkerSettings {
  readonly location: string
  readonly host: string
  readonly signs: Signs
  /**
   * `gated`: a step commits on command. `steady`: steps are taken up to a version. `slots`: each
   * `run` takes the first free slot.
   */
  readonly mode: 'gated' | 'steady' | 'slots'
  /** Folder in which a `steady` worker holds a subfolder for each machine while it works on it. */
  readonly folder?: string
  readonly steps?: number
  readonly runs?: readonly string[]
}

/** A worker in a separate process, which prints a line for each action. */
const settings: WorkerSettings = JSON.parse(process.argv[2] ?? '{}')
const { location, host, signs, mode, folder = '', steps = 1, runs = [] } = settings
const say = (line: string) => void process.stdout.write(`${line}\n`)
const lines = createInterface({ input: process.stdin })
const codeOf = (error: unknown) => (error instanceof DrydockError ? error.code : String(error))

const store = await sharedStore.open(location)
const engine = createSharedEngine({
  store,
  clock: createSystemClock(),
  host,
  signs,
  onFailure: (error) => say(`failed ${codeOf(error)}`),
})

const gated: StepHandler = async (step, commit, signal) => {
  signal.addEventListener('abort', () => say(`aborted ${step.machine}`))
  say(`begun ${step.machine} ${step.version}`)
  await once(lines, 'line')
  const answer = await commit((tx) =>
    tx.appendEvent({ run: 'run', story: null, type: 'resumed', data: { lane: `${step.machine} by ${host}` } }),
  ).catch(codeOf)
  say(`committed ${answer}`)
}

const steady: StepHandler = async (step, commit) => {
  const own = join(folder, encodeURIComponent(step.machine))
  mkdirSync(own)
  try {
    await turn()
    await commit(async (tx) => {
      const machine = (await tx.machine(step.machine)) as Machine
      await tx.appendEvent({
        run: 'run',
        story: null,
        type: 'resumed',
        data: { lane: `${machine.id} ${machine.version} ${host}` },
      })
      const moved = await tx.edit(machine, {})
      if (moved.version <= steps) await tx.queue(moved)
    })
  } finally {
    rmdirSync(own)
  }
}

async function takeSlots(): Promise<void> {
  await once(lines, 'line')
  for (const id of runs) {
    await engine.transact(async (tx) => {
      const slots = await tx.machines({ kind: 'slot' })
      const held = new Set((await tx.machines({ kind: 'run' })).map(({ data }) => data.slot))
      const run = (await tx.machine(id)) as Machine<string, { readonly slot: string | null }>
      await turn()
      const free = slots.find(({ data }) => !held.has(data.name))
      if (free !== undefined) await tx.edit(run, { slot: free.data.name })
    })
  }
  say('done')
}

await engine.transact(async () => {})
say('ready')
if (mode === 'slots') await takeSlots()
else engine.work('lane', 4, mode === 'gated' ? gated : steady)
await once(lines, 'close')
await engine.stop()
await store.close()
