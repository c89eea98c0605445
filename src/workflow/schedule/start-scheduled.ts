import type { Command } from '../../domain/command.ts'
import type { Notice } from '../../domain/notification/notice.ts'
import { isEnded } from '../../domain/run/run.ts'
import { type Schedule, type ScheduleTick, scheduleName } from '../../domain/schedule/schedule.ts'
import type { Commit } from '../../ports/engine.ts'
import type { Records } from '../../ports/store.ts'
import { load } from '../machines.ts'
import { queueNotice } from '../notification/queue-notices.ts'
import { errorOf } from '../rest/park-run.ts'
import { stepAt } from './change-schedule.ts'
import type { ScheduleDependencies } from './dependencies.ts'

export type StartCommand = Extract<Command, { kind: 'start' }>

/**
 * ACTIVE and due: stores the command that starts a Run, under a key that is unique for each time of
 * the schedule. All missed times count as one.
 */
export async function startScheduled(deps: ScheduleDependencies, id: string, commit: Commit): Promise<void> {
  const schedule = await load(deps.store, 'schedule', id)
  const { cron, timezone, next: due } = schedule.data
  if (schedule.state !== 'ACTIVE' || due === null) {
    // Commits an empty step.
    await commit(async () => undefined)
    return
  }
  const now = deps.clock.now()
  const [following] = await deps.timetable.times({ cron, timezone }, now, 1).catch(() => [])
  const next = following?.toISOString() ?? null
  const { command, ...came } = await startOrSay(deps, schedule)
  const last: ScheduleTick = { due, at: now.toISOString(), ...came }
  await commit(async (tx) => {
    const run = command?.run ?? schedule.data.run
    await tx.move(schedule, 'due', { data: { next, last, run }, next: stepAt(next) })
    if (command !== null) await tx.insertCommand({ key: `${id}/${due}`, command })
    if (last.outcome === 'failed') await queueNotice(tx, deps.notifying, noticeOf(schedule, last))
  })
}

type Came = Pick<ScheduleTick, 'outcome' | 'run' | 'note'> & { readonly command: StartCommand | null }

async function startOrSay(
  { store, scheduled }: Pick<ScheduleDependencies, 'store' | 'scheduled'>,
  { data }: Schedule,
): Promise<Came> {
  const going = await stillGoing(store, data.run)
  if (going !== null) {
    return { outcome: 'skipped', run: data.run, note: `${data.run} still goes on (${going})`, command: null }
  }
  try {
    const command = await scheduled(data)
    return { outcome: 'started', run: command.run, note: null, command }
  } catch (error) {
    // Any error is only recorded, since the next time may succeed.
    const { message, todo } = errorOf(error)
    return { outcome: 'failed', run: null, note: `${message} ${todo}`, command: null }
  }
}

/** The state of an open Run; null for one that has ended. */
async function stillGoing(records: Records, id: string | null): Promise<string | null> {
  if (id === null) return null
  const run = await records.machineOf('run', id)
  if (run !== null) return isEnded(run.state) ? null : run.state
  const pending = await records.pendingCommands()
  return pending.some(({ command }) => command.run === id) ? 'WAITING' : null
}

function noticeOf({ id }: Schedule, { due, note }: ScheduleTick): Notice {
  const title = `schedule ${scheduleName(id)}`
  return {
    id: `${id}/${due}`,
    type: 'paused',
    run: id,
    story: null,
    title,
    question: `It could not start: ${note}`,
    message: null,
  }
}
