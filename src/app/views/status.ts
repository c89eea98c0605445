import type { CrewStatus, RunStatus, StatusLine, StatusList } from '../../api/views/status.ts'
import { usdOf } from '../../domain/figures-text.ts'
import { firmFindings } from '../../domain/gate/finding.ts'
import { type Suspension, suspensionOf } from '../../domain/lane/lane.ts'
import { limits } from '../../domain/limits.ts'
import { architectState } from '../../domain/run/architect-state.ts'
import type { GoneBranch } from '../../domain/run/gone-branch.ts'
import { pausedResult, shownState } from '../../domain/run/outcome.ts'
import { publishedBranch } from '../../domain/run/published-branch.ts'
import { landsTogether } from '../../domain/run/repositories.ts'
import { isEnded, pausedBy, type Run } from '../../domain/run/run.ts'
import { titleOf } from '../../domain/run/title.ts'
import { boundsUsed } from '../../domain/story/bounds.ts'
import type { Story } from '../../domain/story/story.ts'
import { testsRemark } from '../../domain/verification/tests-seen.ts'
import type { VerifierResponse } from '../../domain/verification/verdict.ts'
import type { Records } from '../../ports/store.ts'
import { authorOf } from '../commands/author-of.ts'
import type { Installation } from '../installation.ts'
import { reading } from '../reading.ts'
import type { StateAccess } from '../state-access.ts'
import { outageLines } from '../text/outage-lines.ts'
import { briefStoryLines } from './brief-story-lines.ts'
import { readChangeOf } from './change-of-run.ts'
import { editorStop } from './editor-stop.ts'
import { findRun, onlyStoryOf } from './find/find-work.ts'
import { goneFor, outcomeWith } from './finish/gone-branches.ts'
import { verdictReader } from './finish/verdict-now.ts'
import { openEscalations } from './open-escalations.ts'
import { ownership } from './outcome-now.ts'
import { readShort } from './read-short.ts'
import { readRunFacts } from './run-facts.ts'
import { readWaitsForSlot } from './schedule/waits-for-slot.ts'
import { describeUntold, readUntold } from './untold.ts'

interface Looking {
  /** Name of the hub's token or person; null for the user of this machine. */
  readonly by: string | null
}

type StatusSource = Pick<Installation, 'user' | 'userRepository'> &
  Pick<StateAccess, 'openRecords' | 'atHub' | 'connect'>

/** The status of all Runs, or of all unfinished Runs and the newest of the others. */
export async function readStatus(
  drydock: StatusSource,
  { by }: Looking,
  { runs: which }: { readonly runs: 'recent' | 'all' },
): Promise<StatusList> {
  const isOwned = await ownership(drydock)
  const you = await authorOf(drydock, by)
  const { shown, lines, left_out } = await reading(drydock, async (records) => {
    const runs = await records.machines({ kind: 'run' })
    const shown = which === 'all' ? runs : recent(runs)
    const verdicts = verdictReader(records, you)
    const lines = await Promise.all(shown.map((run) => describeRun(records, run, isOwned(run), verdicts)))
    return { shown, lines, left_out: runs.length - shown.length }
  })
  const gone = await goneFor({ by }, drydock, shown)
  return { lines: lines.map((line) => withGone(line, gone.get(line.run))), left_out }
}

/** Adds the fate of its deleted branch to a line. */
function withGone(line: Awaited<ReturnType<typeof describeRun>>, gone: GoneBranch | undefined): StatusLine {
  return gone === undefined ? line : { ...line, gone, outcome: outcomeWith(gone, line.outcome) }
}

/** All unfinished Runs, and the newest of the ended ones. */
function recent(runs: readonly Run[]): readonly Run[] {
  const ended = runs.filter(({ state }) => isEnded(state)).slice(-limits.recentRuns)
  return runs.filter((run) => !isEnded(run.state) || ended.includes(run))
}

/** The status of the named Run. Throws DrydockError `not_found`. */
export async function readRunStatus(drydock: StatusSource, { by }: Looking, id: string): Promise<RunStatus> {
  const isOwned = await ownership(drydock)
  const you = await authorOf(drydock, by)
  const { run, line, ...more } = await reading(drydock, async (records) => {
    const run = await findRun(records, id)
    const line = await describeRun(records, run, isOwned(run), verdictReader(records, you))
    const facts = run.data.policy.reviewer !== null ? await readRunFacts(records, run) : null
    return {
      run,
      line,
      waits_for_slot: isEnded(run.state) ? null : await readWaitsForSlot(records, run, drydock.user.slots),
      crew: facts && { stories: briefStoryLines(facts), open: facts.open },
    }
  })
  const gone = await goneFor({ by }, drydock, [run])
  return { line: withGone(line, gone.get(run.id)), ...more }
}

/**
 * The state of a Run as people see it. It depends on the stored state and on whether a process
 * works on the Run.
 */
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
  } satisfies StatusLine
}

function causeOf(run: Run): Pick<StatusLine, 'paused_person' | 'paused_signal'> {
  const { paused_by: _, ...cause } = pausedResult(run)
  return cause
}

function openOfGate({ data }: Story): number {
  return firmFindings(data.reviews.code.findings ?? []).filter(({ state }) => state === 'open').length
}

/** The verdict of an ended `drydock verify`; nulls for any other Run. */
function verdictOf({ data: { request, answer } }: Run): Pick<StatusLine, 'verdict' | 'tests_remark'> {
  const told = request.kind === 'verify' && typeof answer === 'object' && answer !== null && 'status' in answer
  if (!told) return { verdict: null, tests_remark: null }
  const { status, manifest } = answer as unknown as VerifierResponse
  return { verdict: status, tests_remark: status === 'PASS' ? testsRemark(manifest?.tests) : null }
}

/** The status of a crew, in addition to its Run's state. */
async function crewStatus(records: Records, run: Run): Promise<CrewStatus> {
  const stories = await records.machines({ kind: 'story', run: run.id })
  const requests = await records.machines({ kind: 'request', run: run.id, states: ['OPEN', 'ESCALATED'] })
  const open = await openEscalations(records, run)
  const assigned = open.flatMap(({ message, assignedTo }) => (assignedTo === null ? [] : [[message.id, assignedTo]]))
  const { request } = run.data
  return {
    architect: architectState(run, requests),
    done: stories.filter(({ state }) => state === 'DONE').length,
    // A Run that only plans builds no stories.
    stories: request.kind === 'spec' && request.planOnly ? 0 : Math.max(stories.length, run.data.stories?.length ?? 0),
    escalations: open.map(({ message }) => message.id),
    ...(assigned.length > 0 && { assigned: Object.fromEntries(assigned) }),
  }
}

/**
 * The pause of a Run that is worked on: the earliest next try of its lanes, and the number of
 * paused lanes.
 */
async function readPause(records: Records, run: string): Promise<(Suspension & { readonly lanes: number }) | null> {
  const lanes = await records.machines({ kind: 'lane', run, states: ['ASKING'] })
  const waiting = lanes.flatMap(({ data }) => suspensionOf(data) ?? [])
  const [soonest] = waiting.toSorted((a, b) => a.until.localeCompare(b.until))
  return soonest ? { ...soonest, lanes: waiting.length } : null
}
