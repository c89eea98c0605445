import type { Machine } from '../../src/domain/machine.ts'
import type { Engine, Step } from '../../src/ports/engine.ts'
import type { Transaction } from '../../src/ports/store.ts'

export interface Load {
  readonly runs: number
  /** Number in all Runs together. */
  readonly stories: number
  /** Stories with a slot: their lanes have steps. */
  readonly hosts: readonly string[]
  readonly slotsEach: number
}

/** About the size of a crew's story after some attempts. */
const weight = 'x'.repeat(3_000)

/**
 * Stores the stories of many Runs, of which one for each slot works: it has a lane, whose next step
 * is queued on the slot's host. Returns the number of lanes.
 */
export async function store(engine: Engine, { runs, stories, hosts, slotsEach }: Load): Promise<number> {
  const slots = hosts.flatMap((host) => Array.from({ length: slotsEach }, (_, n) => ({ host, name: `${host}-${n}` })))
  await engine.transact(async (tx) => {
    for (const data of slots) {
      await tx.insertMachine({ id: `slot/${data.name}`, kind: 'slot', run: '', story: null, state: 'OFFERED', data })
    }
    for (let n = 0; n < runs; n += 1) {
      const run = { id: `run-${n}`, kind: 'run', run: `run-${n}`, story: null, state: 'MONITORING' } as const
      await tx.insertMachine({ ...run, data: { slot: null } })
    }
  })
  for (let from = 0; from < stories; from += 500) {
    await engine.transact(async (tx) => {
      for (let n = from; n < Math.min(stories, from + 500); n += 1) await insertStory(tx, n)
    })
  }
  return Math.min(slots.length, stories)

  async function insertStory(tx: Transaction, n: number): Promise<void> {
    const run = `run-${n % runs}`
    const story = `s${n}`
    const slot = slots[n]?.name ?? null
    const state = slot === null ? 'QUEUED' : 'CODING'
    await tx.insertMachine({ id: `${run}/${story}`, kind: 'story', run, story, state, data: { slot, weight } })
    if (slot === null) return
    const lane = { id: `${run}/${story}/lane`, kind: 'lane', run, story, state: 'ASKING', data: { weight } } as const
    await tx.queue(await tx.insertMachine(lane))
  }
}

/**
 * Ends a step like a turn of a lane: stores an event, the machine, and the next step if one is
 * left.
 */
export async function takeStep(tx: Transaction, step: Step, steps: number): Promise<void> {
  const machine = (await tx.machine(step.machine)) as Machine
  await tx.appendEvent({ run: step.run, story: machine.story, type: 'resumed', data: { lane: machine.id } })
  const moved = await tx.edit(machine, {})
  if (moved.version <= steps) await tx.queue(moved)
}
