import { limits } from '../../domain/limits.ts'
import { isHeld } from '../../domain/run/run.ts'
import { load } from '../machines.ts'
import type { RestDependencies } from './dependencies.ts'

interface RoomWait {
  /**
   * After a step has found a disk full: waits until it may be tried again. True also when a person
   * pauses the Run meanwhile. False when it has waited as long as the Run may, when tries have
   * failed although there was room, and in a Run that only verifies: who asks for an answer alone
   * is told at once.
   */
  untilRoom(signal: AbortSignal): Promise<boolean>
  /** The step is done, after a wait or without one. */
  over(): Promise<void>
}

/** The wait of one step for space on the disk, in memory: the state may lie on that disk. */
export function createRoomWait({ clock, store, engine, hasRoom }: RestDependencies, id: string): RoomWait {
  const { lookMs, tries: most } = limits.spaceWait
  let tries = 0
  let since: number | null = null
  let isTold = false

  /** Nothing follows when there is no space for the event either. */
  async function tell(type: 'suspended' | 'resumed'): Promise<boolean> {
    const machine = await store.machine(id)
    if (machine === null) return false
    const { run, story } = machine
    const until = new Date(clock.now().getTime() + lookMs).toISOString()
    const lane = machine.kind === 'lane' ? machine.data.key : machine.id
    const told = engine.transact((tx) =>
      type === 'resumed'
        ? tx.appendEvent({ run, story, type, data: { lane, because: 'disk' } })
        : tx.appendEvent({ run, story, type, data: { lane, reason, until, because: 'disk' } }),
    )
    return told.then(
      () => true,
      () => false,
    )
  }

  return {
    async untilRoom(signal) {
      const machine = await store.machine(id)
      if (machine === null || tries === most) return false
      const { data } = await load(store, 'run', machine.run)
      if (data.request.kind === 'verify') return false
      since ??= clock.now().getTime()
      const end = since + (data.maxWaitSec ?? limits.maxWaitSec) * 1_000
      isTold ||= await tell('suspended')
      while (clock.now().getTime() < end) {
        await clock.sleep(lookMs, { signal })
        if (isHeld(await load(store, 'run', machine.run))) return true
        if (!(await hasRoom())) continue
        tries += 1
        return true
      }
      return false
    },
    async over() {
      if (isTold) await tell('resumed')
      isTold = false
    },
  }
}

const reason = 'The disk is full. Work goes on when there is space again'
