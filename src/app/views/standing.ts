import type { InputOf } from '../../api/route.ts'
import type { News, Standing, StandingRun } from '../../api/views/follow.ts'
import type { viewRoutes } from '../../api/views/view-routes.ts'
import { isEnded, isHeld, type Run } from '../../domain/run/run.ts'
import type { Records } from '../../ports/store.ts'
import { openEscalations } from './open-escalations.ts'

/** Events of one answer. */
const eventsAtOnce = 500

/** The events of some Runs after one that is known. */
export async function readNews(
  records: Records,
  { runs: named, after }: InputOf<typeof viewRoutes.news>,
): Promise<News> {
  if (after === undefined) return { events: [], after: await records.lastEvent(), more: false }
  const runs = named.split(',')
  const events = await records.events({ after, limit: eventsAtOnce })
  return {
    events: events.filter(({ run }) => runs.includes(run)),
    after: events.at(-1)?.id ?? after,
    more: events.length === eventsAtOnce,
  }
}

/** The standing of each Run: working, or what it waits for. */
export async function readStanding(
  records: Records,
  { runs: named, command }: InputOf<typeof viewRoutes.standing>,
): Promise<Standing> {
  const ids = named.split(',')
  const applied = command === undefined || (await records.commandApplied(command))
  const found = await Promise.all(ids.map((id) => records.machineOf('run', id)))
  const runs = await Promise.all(found.flatMap((run) => (run === null ? [] : standingOf(records, run))))
  // Commands are read last, so that none that is stored meanwhile is missed.
  const pending = await records.pendingCommands()
  return { applied, runs, pending: pending.some(({ command: { run } }) => run === null || ids.includes(run)) }
}

async function standingOf(records: Records, run: Run): Promise<StandingRun> {
  const { id, state, data } = run
  const idle = await records.isIdle(id)
  const open = await openEscalations(records, run)
  const [told] = await records.recentEvents({ run: id, types: ['result'], limit: 1 })
  return {
    run: id,
    state,
    ended: isEnded(state),
    held: isHeld(run),
    error: data.error?.message ?? null,
    again: data.again ?? null,
    idle,
    open,
    last: told?.data ?? null,
  }
}
