import { usdOf } from '../../domain/figures-text.ts'
import { firmFindings } from '../../domain/gate/finding.ts'
import { type Suspension, suspensionOf } from '../../domain/lane/lane.ts'
import { limits } from '../../domain/limits.ts'
import type { Again } from '../../domain/run/again.ts'
import { architectState } from '../../domain/run/architect-state.ts'
import type { ReachedBound } from '../../domain/run/budget.ts'
import type { GoneBranch } from '../../domain/run/gone-branch.ts'
import { type Outcome, pausedResult, shownState } from '../../domain/run/outcome.ts'
import type { PauseSignal } from '../../domain/run/pause-cause.ts'
import { publishedBranch } from '../../domain/run/published-branch.ts'
import { landsTogether } from '../../domain/run/repositories.ts'
import { isEnded, pausedBy, type Run } from '../../domain/run/run.ts'
import { titleOf } from '../../domain/run/title.ts'
import type { Priority } from '../../domain/share/priority.ts'
import { boundsUsed, type UsedBound } from '../../domain/story/bounds.ts'
import type { Story } from '../../domain/story/story.ts'
import { testsRemark } from '../../domain/verification/tests-seen.ts'
import type { VerifierResponse } from '../../domain/verification/verdict.ts'
import type { Records } from '../../ports/store.ts'
import { authorOf } from '../commands/author-of.ts'
import type { Installation } from '../installation.ts'
import { reading } from '../reading.ts'
import type { StateAccess } from '../state-access.ts'
import { outageLines } from '../text/outage-lines.ts'
import { type ChangeOfRun, readChangeOf } from './change-of-run.ts'
import { editorStop } from './editor-stop.ts'
import { findRun, onlyStoryOf } from './find/find-work.ts'
import { goneBranch, goneBranches, outcomeWith } from './finish/gone-branches.ts'
import { verdictReader } from './finish/verdict-now.ts'
import { openEscalations } from './open-escalations.ts'
import { ownership } from './outcome-now.ts'
import { readShort } from './read-short.ts'
import { type RunFacts, readRunFacts } from './run-facts.ts'
import { readWaitsForSlot, type WaitsForSlot } from './schedule/waits-for-slot.ts'
import { describeUntold, readUntold } from './untold.ts'

/** One Run as `drydock status` shows it. */
export interface StatusLine {
  readonly run: string
  /** Of the Run; INTERRUPTED, PAUSED or WAITS_FOR_YOU where nobody works on it. */
  readonly state: string
  readonly outcome: Outcome
  /** Names what holds its result, as "1 comment of Ada"; null for nothing. */
  readonly held_by: string | null
  /** State of a task's story. */
  readonly story: string | null
  readonly attempt: number | null
  /** PASS, FAIL or INFRA_ERROR of a verification that was asked for alone. */
  readonly verdict: string | null
  /** What is to be said beside its PASS: that no test is known to have run. */
  readonly tests_remark: string | null
  readonly title: string
  /** On a hub: who has asked for it; null for the user of the machine. */
  readonly started_by: string | null
  readonly priority: Priority
  readonly branch: string | null
  /** At a forge; null while there is none. */
  readonly change: ChangeOfRun | null
  readonly error: string | null
  /** In ERROR: when it is tried again by itself, and how often that was so; null when it is not. */
  readonly again: Again | null
  /** Of a task: why its editor was stopped, with figures; else null. */
  readonly editor_stopped: string | null
  /** The part of its bounds that a task has used. */
  readonly bounds?: readonly UsedBound[]
  /**
   * Whom one in PAUSED waits for; and whether a human pauses one of which something is still under
   * way.
   */
  readonly paused_by: 'user' | 'budget' | null
  /** The person or the signal that paused it. */
  readonly paused_person?: string
  readonly paused_signal?: PauseSignal
  readonly pausing: boolean
  /** In PAUSED for its budget: the bounds in the way, and the line that is enough. */
  readonly short: { readonly bounds: readonly ReachedBound[]; readonly command: string } | null
  /** Lanes of it that wait for their provider, while it is worked on. */
  readonly paused: (Suspension & { readonly lanes: number }) | null
  /** That a hook of the user's failed, while there still is something to be told of. */
  readonly untold: string | null
  /** A line for each model that was out, while the Run has not ended. */
  readonly outages: readonly string[]
  /** Its branch was deleted. */
  readonly gone?: GoneBranch
  /** Findings of the gate on a task's result that nobody has accepted. */
  readonly open_findings: number
  readonly tokens: number
  /** null while the price of a call is not known. */
  readonly cost_usd: number | null
  /** Of a crew. */
  readonly crew?: CrewStatus
}

export interface CrewStatus {
  /**
   * SCOPING or STORY_GENERATION, REQUEST or ESCALATED while one of its requests is, else
   * MONITORING.
   */
  readonly architect: string
  readonly done: number
  readonly stories: number
  /** Ids of the messages that wait for a human. */
  readonly escalations: readonly string[]
}

export type RunDescription = Awaited<ReturnType<typeof describeRun>> & Pick<StatusLine, 'gone'>

/** Some Runs as people see them, and how many more there are. */
export interface RunsStatus {
  readonly lines: readonly RunDescription[]
  readonly leftOut: number
}

/** The status of all Runs, or of all unfinished Runs and the newest of the others. */
export async function readStatus(
  drydock: Pick<Installation, 'userRepository'> & Pick<StateAccess, 'openRecords' | 'atHub' | 'connect'>,
  { all }: { readonly all: boolean },
): Promise<RunsStatus> {
  const isOwned = await ownership(drydock)
  const you = await authorOf(drydock, null)
  const { shown, lines, leftOut } = await reading(drydock, async (records) => {
    const runs = await records.machines({ kind: 'run' })
    const shown = all ? runs : recent(runs)
    const verdicts = verdictReader(records, you)
    const lines = await Promise.all(shown.map((run) => describeRun(records, run, isOwned(run), verdicts)))
    return { shown, lines, leftOut: runs.length - shown.length }
  })
  const gone = await goneBranches(drydock, shown)
  return { lines: lines.map((line) => withGone(line, gone.get(line.run))), leftOut }
}

/** Adds to a line what became of its deleted branch. */
function withGone(line: RunDescription, gone: GoneBranch | undefined): RunDescription {
  return gone === undefined ? line : { ...line, gone, outcome: outcomeWith(gone, line.outcome) }
}

/** Whatever is unfinished, and of the rest those that came last. */
function recent(runs: readonly Run[]): readonly Run[] {
  const ended = runs.filter(({ state }) => isEnded(state)).slice(-limits.recentRuns)
  return runs.filter((run) => !isEnded(run.state) || ended.includes(run))
}

export interface RunStatus {
  readonly line: RunDescription
  readonly waitsForSlot: WaitsForSlot | null
  /** Where an architect takes part; null for any other Run. */
  readonly crew: RunFacts | null
}

/** The status of the named Run. Throws DrydockError `not_found`. */
export async function readRunStatus(
  drydock: Pick<Installation, 'user' | 'userRepository'> & Pick<StateAccess, 'openRecords' | 'atHub' | 'connect'>,
  id: string,
): Promise<RunStatus> {
  const isOwned = await ownership(drydock)
  const you = await authorOf(drydock, null)
  const found = await reading(drydock, async (records) => {
    const run = await findRun(records, id)
    const line = await describeRun(records, run, isOwned(run), verdictReader(records, you))
    const waitsForSlot = isEnded(run.state) ? null : await readWaitsForSlot(records, run, drydock.user.slots)
    return {
      run,
      line,
      waitsForSlot,
      crew: run.data.policy.reviewer !== null ? await readRunFacts(records, run) : null,
    }
  })
  const { run, line, ...more } = found
  return { ...more, line: withGone(line, await goneBranch(drydock, run)) }
}

/** State as people see it: derived from the machines and from whether somebody works on them. */
export async function describeRun(records: Records, run: Run, owned: boolean, verdicts = verdictReader(records, null)) {
  const story = await onlyStoryOf(records, run)
  const { costMicroUsd: microUsd, unpriced, ...counts } = await records.totals(run.id)
  const [untold] = await readUntold(records, run.id)
  const unfinished = !isEnded(run.state) && run.state !== 'ERROR' && run.state !== 'PAUSED'
  const { heldBy, ...outcome } = await verdicts.verdict(run, { isWorkedOn: owned })
  return {
    run: run.id,
    kind: run.data.request.kind,
    state: shownState(run, outcome),
    outcome,
    held_by: heldBy,
    story: story?.state ?? null,
    attempt: story ? Math.min(story.data.failures.loops + 1, limits.verifyLoops) : null,
    ...verdictOf(run),
    title: titleOf(run),
    started_by: run.data.startedBy ?? null,
    priority: run.data.priority ?? 'normal',
    branch: landsTogether(run) ? publishedBranch(run) : run.state === 'DONE' ? run.data.branch : null,
    change: await readChangeOf(records, run),
    error: run.data.error?.message ?? null,
    again: run.state === 'ERROR' && owned ? (run.data.again ?? null) : null,
    editor_stopped: story ? editorStop(story, []) : null,
    ...(story && { bounds: boundsUsed(story.data, run.data.config?.reviewRounds) }),
    paused_by: outcome.code === 'PAUSED' ? 'user' : pausedBy(run),
    ...causeOf(run),
    short: pausedBy(run) === 'budget' ? await readShort(records, run.id) : null,
    pausing: outcome.code === 'PAUSING',
    paused: unfinished && owned ? await readPause(records, run.id) : null,
    untold: untold && !isEnded(run.state) ? describeUntold(untold) : null,
    outages: isEnded(run.state) ? [] : outageLines(run.data.outages),
    open_findings: run.state === 'DONE' && story ? openOfGate(story) : 0,
    ...(run.data.policy.reviewer !== null && { crew: await crewStatus(records, run) }),
    ...counts,
    cost_usd: usdOf({ microUsd, unpriced }),
  } satisfies StatusLine & Record<string, unknown>
}

function causeOf(run: Run): Pick<StatusLine, 'paused_person' | 'paused_signal'> {
  const { paused_by: _, ...cause } = pausedResult(run)
  return cause
}

function openOfGate({ data }: Story): number {
  return firmFindings(data.reviews.code.findings ?? []).filter(({ state }) => state === 'open').length
}

/** Of a verification that has ended: what `drydock verify` was asked for. */
function verdictOf({ data: { request, answer } }: Run): Pick<StatusLine, 'verdict' | 'tests_remark'> {
  const told = request.kind === 'verify' && typeof answer === 'object' && answer !== null && 'status' in answer
  if (!told) return { verdict: null, tests_remark: null }
  const { status, manifest } = answer as unknown as VerifierResponse
  return { verdict: status, tests_remark: status === 'PASS' ? testsRemark(manifest?.tests) : null }
}

/** What `drydock status` says of a crew beside its Run's state. */
async function crewStatus(records: Records, run: Run): Promise<CrewStatus> {
  const stories = await records.machines({ kind: 'story', run: run.id })
  const requests = await records.machines({ kind: 'request', run: run.id, states: ['OPEN', 'ESCALATED'] })
  const open = await openEscalations(records, run)
  const { request } = run.data
  return {
    architect: architectState(run, requests),
    done: stories.filter(({ state }) => state === 'DONE').length,
    // Of a plan none is built.
    stories: request.kind === 'spec' && request.planOnly ? 0 : Math.max(stories.length, run.data.stories?.length ?? 0),
    escalations: open.map(({ message }) => message.id),
  }
}

/**
 * What is paused in a Run that is worked on: the soonest of its lanes' next tries, and how many
 * they are.
 */
async function readPause(records: Records, run: string): Promise<(Suspension & { readonly lanes: number }) | null> {
  const lanes = await records.machines({ kind: 'lane', run, states: ['ASKING'] })
  const waiting = lanes.flatMap(({ data }) => suspensionOf(data) ?? [])
  const [soonest] = waiting.toSorted((a, b) => a.until.localeCompare(b.until))
  return soonest ? { ...soonest, lanes: waiting.length } : null
}
