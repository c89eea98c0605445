import { openEscalationsOf } from '../../domain/request/open-escalations.ts'
import { isAtRest, type Outcome, outcomeOfRun, shownState } from '../../domain/run/outcome.ts'
import { type PauseCause, pauseCause } from '../../domain/run/pause-cause.ts'
import type { Result } from '../../domain/run/result.ts'
import { isHeld, type Run } from '../../domain/run/run.ts'
import type { Records } from '../../ports/store.ts'
import { storiesOf } from '../machines.ts'
import { resultOf } from './run-result.ts'

/** `isWorkedOn`: a process works on this state now. */
interface Looking {
  readonly isWorkedOn: boolean
}

/** The present outcome of a Run. */
export async function readOutcome(records: Records, run: Run, { isWorkedOn }: Looking): Promise<Outcome> {
  if (isAtRest(run)) {
    const [last] = await records.recentEvents({ run: run.id, types: ['result'], limit: 1 })
    return outcomeOfRun(run, { result: last?.data ?? null, isWorkedOn, held: null, waitsForYou: false })
  }
  const held = await readHeld(records, run)
  const waitsForYou = held === null && (await waitsForHuman(records, run))
  return outcomeOfRun(run, { result: null, isWorkedOn, held, waitsForYou })
}

/** A preliminary result: `status` is the state as people see it. */
export type ResultNow = Omit<Result, 'status'> & { readonly status: string }

/** The present result, for a follower who leaves before the Run has a final one. */
export async function resultNow(records: Records, run: Run, looking: Looking): Promise<ResultNow> {
  const outcome = await readOutcome(records, run, looking)
  const result = await resultOf(records, run, outcome)
  return isAtRest(run) ? result : { ...result, status: shownState(run, outcome) }
}

/** The cause of a pause, even if no process has worked here since; null without a pause. */
async function readHeld(records: Records, run: Run): Promise<PauseCause | null> {
  const asked = (await records.pendingCommands()).findLast(
    ({ command: { kind, run: of } }) =>
      (kind === 'pause' && of === run.id) || (kind === 'resume' && (of ?? run.id) === run.id),
  )
  if (asked === undefined) return isHeld(run) ? run.data.rest : null
  return asked.command.kind === 'pause' ? pauseCause(asked.command) : null
}

/**
 * True if no work of the Run is running or queued, and a human has not answered an open question.
 */
async function waitsForHuman(records: Records, run: Run): Promise<boolean> {
  if (!(await records.isIdle(run.id))) return false
  const asked = await records.chat({ run: run.id, postType: 'escalate' })
  if (asked.length === 0) return false
  const [stories, requests] = await Promise.all([
    storiesOf(records, run.id),
    records.machines({ kind: 'request', run: run.id }),
  ])
  if (openEscalationsOf({ run, stories, requests, asked }).length === 0) return false
  return !(await records.pendingCommands()).some(({ command }) => (command.run ?? run.id) === run.id)
}
