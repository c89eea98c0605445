import { limits } from '../../domain/limits.ts'
import { isHeld } from '../../domain/run/run.ts'
import { load } from '../machines.ts'
import type { RestDependencies } from './dependencies.ts'

interface RoomWait {
  /**
   * Waits, after a step found the disk full, until it may be retried. Also true if a person pauses
   * the Run in the meantime. False if the Run's longest wait is over, if retries failed despite
   * free space, and in a Run that only verifies, whose user is told at once.
   */
  untilRoom(signal: AbortSignal): Promise<boolean>
  /** Ends the wait after the step is done, or if it never waited. */
  over(): Promise<void>
}

/**
 * Lets one step wait for free disk space. The wait is only in memory, since the state may be on the
 * full disk.
 */
export function createRoomWait({ clock, store, engine, hasRoom }: RestDependencies, id: string): RoomWait {
  const { lookMs, tries: most } = limits.spaceWait
  let tries = 0
  let since: number | null = null
  let isTold = false

  /** Without space for the event itself it is skipped. */
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
