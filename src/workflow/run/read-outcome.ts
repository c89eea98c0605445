import { openEscalationsOf } from '../../domain/request/open-escalations.ts'
import { isAtRest, type Outcome, outcomeOfRun, shownState } from '../../domain/run/outcome.ts'
import type { Result } from '../../domain/run/result.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Records } from '../../ports/store.ts'
import { list, storiesOf } from '../machines.ts'
import { resultOf } from './run-result.ts'

/** `isWorkedOn`: a process works on this state now. */
interface Looking {
  readonly isWorkedOn: boolean
}

/** What is to be said of a Run now. */
export async function readOutcome(records: Records, run: Run, { isWorkedOn }: Looking): Promise<Outcome> {
  if (isAtRest(run)) {
    const [last] = await records.recentEvents({ run: run.id, types: ['result'], limit: 1 })
    return outcomeOfRun(run, { result: last?.data ?? null, isWorkedOn, isHeld: false, waitsForYou: false })
  }
  const isHeld = await isHeldByHand(records, run)
  const waitsForYou = !isHeld && (await waitsForHuman(records, run))
  return outcomeOfRun(run, { result: null, isWorkedOn, isHeld, waitsForYou })
}

/** A result before there is one: `status` is the state as people see it. */
export type ResultNow = Omit<Result, 'status'> & { readonly status: string }

/** The result as it would be now, for whoever stops looking before there is one. */
export async function resultNow(records: Records, run: Run, looking: Looking): Promise<ResultNow> {
  const outcome = await readOutcome(records, run, looking)
  const result = await resultOf(records, run, outcome)
  return isAtRest(run) ? result : { ...result, status: shownState(run, outcome) }
}

/** A human has paused it, also where nobody has worked here since. */
async function isHeldByHand(records: Records, { id, data }: Run): Promise<boolean> {
  const asked = (await records.pendingCommands()).findLast(
    ({ command: { kind, run } }) => (kind === 'pause' && run === id) || (kind === 'resume' && (run ?? id) === id),
  )
  return asked === undefined ? data.held != null : asked.command.kind === 'pause'
}

/**
 * Nothing of it goes on, and nothing is about to: a question is open, and nobody has answered it.
 */
async function waitsForHuman(records: Records, run: Run): Promise<boolean> {
  if ((await records.openJobs(run.id)) > 0) return false
  const asked = await records.chat({ run: run.id, postType: 'escalate' })
  if (asked.length === 0) return false
  const [stories, requests] = await Promise.all([storiesOf(records, run.id), list(records, 'request', { run: run.id })])
  if (openEscalationsOf({ run, stories, requests, asked }).length === 0) return false
  return !(await records.pendingCommands()).some(({ command }) => (command.run ?? run.id) === run.id)
}
