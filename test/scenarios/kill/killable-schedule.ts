import { createSystemClock } from '../../../src/adapters/clock/system-clock.ts'
import { openDrydock } from '../../../src/compose.ts'

/**
 * An owner of a state at a fixed time, which ends itself with SIGKILL right before or after the
 * commit in which a schedule was due.
 */
const [directory = '', now = '', moment = ''] = process.argv.slice(2)
const kill = () => process.kill(process.pid, 'SIGKILL')
let wasDue = false

const drydock = await openDrydock({
  directory,
  env: process.env,
  clock: { ...createSystemClock(), now: () => new Date(now), random: () => 0.5 },
  async beforeCommit(records) {
    wasDue = (await records.machines({ kind: 'schedule' })).some(({ data }) => data.last !== null)
    if (wasDue && moment === 'before') kill()
  },
  afterCommit() {
    if (wasDue) kill()
  },
})

await drydock.own({
  coders: 1,
  onFailure(error) {
    throw error
  },
})
setInterval(() => {}, 60_000)
