import { acceptNoChange } from '../../../domain/claim.ts'
import { usdOf } from '../../../domain/figures-text.ts'
import { firmFindings } from '../../../domain/gate/finding.ts'
import type { OpenEscalation } from '../../../domain/request/open-escalations.ts'
import { isAtRest, type Outcome } from '../../../domain/run/outcome.ts'
import { isEnded, type Run } from '../../../domain/run/run.ts'
import { titleOf } from '../../../domain/run/title.ts'
import { onlyStory } from '../../../domain/story/name-of.ts'
import { endStates } from '../../../domain/story/story-machine.ts'
import type { Records } from '../../../ports/store.ts'
import { readOutcome } from '../../../workflow/run/read-outcome.ts'
import type { StateAccess } from '../../state-access.ts'
import { onlyStoryOf } from '../find/find-work.ts'
import { openEscalations, readAnswered } from '../open-escalations.ts'
import { ownership } from '../outcome-now.ts'

/** A story of a Run, or the one piece of work of a task. */
export interface PlanLine {
  readonly text: string
  readonly state: string
  readonly progress: 'pending' | 'in_progress' | 'completed'
}

/** An object that can be accepted by its id after the end of a Run. */
export interface Acceptable {
  readonly id: string
  readonly claim: string
  readonly evidence: string
  readonly file: string | null
}

/** A snapshot of a Run. */
export interface RunNow {
  readonly run: string
  readonly kind: Run['data']['request']['kind']
  readonly title: string
  /** The request in full, as a person wrote it. */
  readonly asked: string
  readonly outcome: Outcome
  /** True if nothing continues until a person acts. */
  readonly atRest: boolean
  readonly ended: boolean
  /** True if the Run is paused, or stopped in ERROR. */
  readonly stopped: boolean
  /** True for a task that can be retried from its kept work. */
  readonly stuck: boolean
  /** Open questions to a human, in the order of asking. */
  readonly open: readonly OpenEscalation[]
  readonly plan: readonly PlanLine[]
  readonly acceptable: readonly Acceptable[]
  readonly tokens: number
  /** Null while the price of a call is unknown. */
  readonly costUsd: number | null
  readonly budget: Run['data']['budget']
}

export async function readRunNow(
  drydock: Pick<StateAccess, 'connect'>,
  records: Records,
  id: string,
): Promise<RunNow | null> {
  const answered = await readAnswered(records)
  const run = await records.machineOf('run', id)
  if (run === null) return null
  const isWorkedOn = (await ownership(drydock))(run)
  const { costMicroUsd: microUsd, unpriced, tokens } = await records.totals(id)
  const { state, data } = run
  const outcome = await readOutcome(records, run, { isWorkedOn })
  return {
    run: id,
    kind: data.request.kind,
    title: titleOf(run),
    asked: askedOf(run),
    outcome,
    atRest: isAtRest(run),
    ended: isEnded(state),
    // Includes a pause that is stored and not yet applied.
    stopped: state === 'PAUSED' || state === 'ERROR' || outcome.code === 'PAUSED' || outcome.code === 'PAUSING',
    stuck: data.request.kind === 'task' && (state === 'STUCK' || state === 'INFRA_ERROR'),
    open: (await openEscalations(records, run)).filter(({ message }) => !answered.has(message.id)),
    plan: await planOf(records, run),
    acceptable: await acceptableOf(records, run),
    tokens,
    costUsd: usdOf({ microUsd, unpriced }),
    budget: data.budget,
  }
}

function askedOf(run: Run): string {
  const { request } = run.data
  if (request.kind === 'spec' || request.kind === 'interview') return request.spec.text
  return titleOf(run)
}

async function planOf(records: Records, run: Run): Promise<readonly PlanLine[]> {
  const stories = await records.machines({ kind: 'story', run: run.id })
  const stateOf = (id: string) => stories.find(({ story }) => story === id)?.state ?? null
  const only = stateOf(onlyStory)
  if (only !== null) return [line(titleOf(run).split('\n')[0] ?? '', only)]
  return (run.data.stories ?? []).map(({ id, title }) => line(`${id}: ${title}`, stateOf(id) ?? 'PLANNED'))
}

function line(text: string, state: string): PlanLine {
  const isOver = (endStates as readonly string[]).includes(state)
  const waits = state === 'QUEUED' || state === 'BLOCKED' || state === 'PLANNED'
  return { text, state, progress: isOver ? 'completed' : waits ? 'pending' : 'in_progress' }
}

/** Findings that a human may still accept. Only a task can end with some. */
async function acceptableOf(records: Records, run: Run): Promise<readonly Acceptable[]> {
  const { kind } = run.data.request
  if (kind !== 'task' || (run.state !== 'DONE' && run.state !== 'NO_CHANGE')) return []
  const story = await onlyStoryOf(records, run)
  const held = firmFindings(story?.data.reviews.code.findings ?? []).filter(({ state }) => state === 'open')
  const findings = held.map(({ id, claim, evidence, file }) => ({ id, claim, evidence, file }))
  const nothing = { id: acceptNoChange, claim: 'Nothing needs to change.', evidence: '', file: null }
  return run.state === 'NO_CHANGE' ? [...findings, nothing] : findings
}
