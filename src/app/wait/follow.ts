import { randomUUID } from 'node:crypto'
import type { Standing, StandingRun } from '../../api/views/follow.ts'
import type { Event, EventType } from '../../domain/event.ts'
import { limits } from '../../domain/limits.ts'
import type { OpenEscalation } from '../../domain/request/open-escalations.ts'
import { exitCodeOf, isPausedByHand, waitingForHuman } from '../../domain/run/exit-code.ts'
import { isPauseSignal } from '../../domain/run/pause-cause.ts'
import type { Result } from '../../domain/run/result.ts'
import type { Installation } from '../installation.ts'
import type { StateAccess } from '../state-access.ts'
import { resultWithBranch } from '../views/finish/gone-branches.ts'
import { createBell } from './bell.ts'
import { createDatabaseWait } from './database-wait.ts'
import { followedRuns } from './followed.ts'
import { createPlannedTries } from './planned-tries.ts'
import { createRecordedHuman, type RecordedHuman } from './recorded-human.ts'
import { createSession, retryMs, type Workplace } from './session.ts'
import { waitsFor } from './waits-for.ts'

export interface Following {
  /** The Runs to follow until their results. */
  readonly runs: readonly string[]
  /** The id of the last event that is already known. */
  readonly after: number
  readonly coders: number
  /** Key of the command that this process has stored about Runs that may be at rest. */
  readonly command?: string
  /** Called once all results exist, while this process still owns the state. */
  readonly onResults?: (results: ReadonlyMap<string, Result>) => void | Promise<void>
  /** True to end when the work cannot continue without a human, or a human has paused it. */
  readonly noWait: boolean
  /** True to end when the work cannot continue without an answer. */
  readonly endsAtQuestion?: boolean
  /** Called with the questions that ended the wait. */
  readonly onWaiting?: (open: readonly OpenEscalation[]) => void
  /**
   * Milliseconds that a question stays visible before the recorded human answers it; null if a
   * person must answer every question.
   */
  readonly humanDelayMs: number | null
  /** Asks the person at this terminal the open questions of an interview. */
  readonly interviewer?: { look(open: readonly OpenEscalation[]): void } | null
  /** False only to watch: the owner, if any, does the work. */
  readonly own: boolean
  readonly onEvent: (event: Event) => void
  readonly onNote: (text: string) => void
  /** Called when this process has become the owner. */
  readonly onOwner?: () => void
  /** Aborted by the first Ctrl-C; a signal's name is the reason. */
  readonly stop: AbortSignal
  /** Aborted when nobody follows any more. The work continues without followers. */
  readonly gone?: AbortSignal | null
  /** Called after `stop` has paused the Runs. Absent if `stop` should leave the Runs running. */
  readonly onHeld?: () => void
  /** True to work on every Run that nobody has paused, not only on the followed ones. */
  readonly all?: boolean
  /**
   * True to work on no other Run even if somebody asks for it, so that no model is called for one.
   */
  readonly only?: boolean
}

export interface FollowResult {
  readonly results: ReadonlyMap<string, Result>
  readonly exitCode: number
}

/** Types of events after which a question may be closed. */
const closes: readonly EventType[] = ['escalation_answered', 'run_state']

/**
 * Follows Runs to their results. Becomes the owner when there is none, and takes over when the
 * owner ends. Results always come from the event log, never from memory of this process.
 */
export async function follow(
  drydock: Workplace & Pick<Installation, 'userRepository' | 'model'> & Pick<StateAccess, 'submit'>,
  following: Following,
): Promise<FollowResult> {
  const bell = createBell({ settleMs: limits.eventsTogetherMs })
  let failure: unknown = null
  const failed = Promise.withResolvers<void>()
  const fail = (error: unknown) => {
    failure = error
    failed.resolve()
    bell.hurry()
  }
  const session = createSession(drydock, { ...following, fail, ring: bell.ring })
  const holding = Promise.withResolvers<void>()
  const stop = () => {
    bell.hurry()
    if (following.onHeld) hold(drydock, following).then(holding.resolve, fail)
    else holding.resolve()
  }
  following.stop.addEventListener('abort', stop, { once: true })
  following.gone?.addEventListener('abort', bell.hurry, { once: true })
  if (following.stop.aborted) stop()
  const { humanDelayMs: delayMs, interviewer = null } = following
  const results = new Map<string, Result>()
  // The owner itself reports a wait for the database.
  const wait = createDatabaseWait({
    clock: drydock.clock,
    onNote: (text) => session.owns() || following.onNote(text),
  })
  following.stop.addEventListener('abort', wait.end, { once: true })
  const tries = createPlannedTries({ onNote: following.onNote, clock: drydock.atHub === null ? drydock.clock : null })
  // False for the owner: a process that ends with its Runs does not retry them.
  const isTriedAgain = () => !session.owns() && (drydock.atHub !== null || session.connected())
  const records = drydock.atHub === null ? wait.patient(drydock.openRecords()) : null
  const followed = followedRuns(drydock, records, following)
  const human =
    delayMs === null || records === null ? null : createRecordedHuman(drydock, { records, delayMs, onFailure: fail })
  const endsOpen = following.noWait || following.endsAtQuestion
  let after = following.after
  let asked = true
  let open: readonly OpenEscalation[] = []
  let stopBy: number | null = null
  const isLate = () => stopBy !== null && performance.now() >= stopBy
  try {
    for (;;) {
      if (failure !== null) throw failure
      if (following.gone?.aborted) return { results, exitCode: 130 }
      const stopping = following.stop.aborted
      if (stopping) {
        await Promise.race([holding.promise, failed.promise])
        session.wake()
        // The process that works on the Runs ends the current steps first.
        stopBy ??= performance.now() + limits.owner.stopMs
        if (!following.onHeld || !session.owns() || isLate()) return { results, exitCode: 130 }
      } else {
        await session.ensure().catch((error: unknown) => {
          if (!wait.goesOn(error)) throw error
        })
      }
      const { events: mine, more, ...news } = await followed.news(after)
      for (const event of mine) take(following, results, event)
      asked ||= mine.some(({ type }) => type === 'escalation' || (interviewer && closes.includes(type)))
      after = news.after
      if (more) continue
      const isStopped = [...results.values()].some(({ error }) => error !== undefined)
      const isNeeded = isStopped || endsOpen || following.command !== undefined || (asked && interviewer !== null)
      const standing = isNeeded ? await followed.standing() : null
      if (standing && following.command !== undefined) takeOldResults(standing, results)
      if (following.runs.every((run) => isOver(following, results.get(run), stopping))) {
        if (stopping || !isTriedAgain() || !tries.areAhead(standing?.runs ?? [], results)) break
      }
      if (asked) await human?.look(following.runs)
      if (asked && interviewer) interviewer.look(await unanswered(standing?.runs ?? [], human))
      asked = false
      open = standing && endsOpen ? await waitsFor(standing, { ...following, results, human }) : []
      if (open.length > 0 && (await followed.news(after)).after === after) break
      await bell.next(stopBy === null ? session.waitMs() : retryMs)
    }
    // A fresh result is certainly on its branch; the branch of an old one may be gone.
    if (!following.own)
      for (const [run, result] of results) results.set(run, await resultWithBranch(drydock, run, result))
    await following.onResults?.(results)
    if (open.length > 0) following.onWaiting?.(open)
  } finally {
    await human?.end()
    await records?.close()
    const drain = failure === null && !isLate() && (!following.stop.aborted || following.onHeld !== undefined)
    await session.end({ drain })
  }
  if (following.stop.aborted) return { results, exitCode: 130 }
  const codes = following.runs.map((run) => exitCodeOf(results.get(run) ?? waitingForHuman))
  return { results, exitCode: codes.find((code) => code !== 0) ?? 0 }
}

/** The open questions that the recorded human, if there is one, leaves to a person. */
async function unanswered(
  runs: readonly StandingRun[],
  human: RecordedHuman | null,
): Promise<readonly OpenEscalation[]> {
  return (await Promise.all(runs.map(({ run, open }) => human?.unanswered(run) ?? open))).flat()
}

function isOver({ noWait }: Following, result: Result | undefined, stopping: boolean): boolean {
  return result !== undefined && (noWait || stopping || !isPausedByHand(result))
}

/**
 * Pauses the followed Runs, as `drydock pause` does, so that no process continues them unasked
 * after this one has ended.
 */
async function hold(drydock: Pick<StateAccess, 'submit'>, { runs, stop, onHeld }: Following): Promise<void> {
  const cause = isPauseSignal(stop.reason) ? { signal: stop.reason } : {}
  for (const run of runs) await drydock.submit(`pause/${randomUUID()}`, { kind: 'pause', run, ...cause })
  onHeld?.()
}

function take({ onEvent }: Following, results: Map<string, Result>, event: Event): void {
  onEvent(event)
  if (event.type === 'result') results.set(event.run, event.data)
  else if (event.type === 'run_state') results.delete(event.run)
}

/**
 * Takes the existing results if the command changed nothing, such as a retry of a Run that another
 * process has just ended.
 */
function takeOldResults({ applied, runs }: Standing, results: Map<string, Result>): void {
  if (!applied) return
  for (const { run, state, ended, last } of runs)
    if (last !== null && !results.has(run) && (ended || state === 'ERROR')) results.set(run, last)
}
