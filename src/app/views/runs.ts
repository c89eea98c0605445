import type { Pause, RunDetail, RunLine, RunList, Transition } from '../../api/runs.ts'
import type { Event, MoveEvent } from '../../domain/event.ts'
import { shortageOf, suspensionOf } from '../../domain/lane/lane.ts'
import { limits } from '../../domain/limits.ts'
import type { OpenEscalation } from '../../domain/request/open-escalations.ts'
import { architectState } from '../../domain/run/architect-state.ts'
import { raiseFlags, raiseOf } from '../../domain/run/budget.ts'
import type { GoneBranch } from '../../domain/run/gone-branch.ts'
import { isAtRest } from '../../domain/run/outcome.ts'
import { publishedBranch } from '../../domain/run/published-branch.ts'
import { landsTogether, repositoryResults } from '../../domain/run/repositories.ts'
import type { RepositoryResult } from '../../domain/run/repository.ts'
import { isEnded, isHeld, type Run } from '../../domain/run/run.ts'
import { titleOf } from '../../domain/run/title.ts'
import { vagueOf, writtenSpecOf } from '../../domain/run/written-spec.ts'
import { claimOf } from '../../domain/story/story.ts'
import { firstLine } from '../../domain/text.ts'
import type { Records } from '../../ports/store.ts'
import { allReached } from '../../workflow/rest/budget-reached.ts'
import { canNow } from '../operations/can.ts'
import { toEscalation } from './escalation.ts'
import { readVerdict, type Verdict, type VerdictReader, verdictReader } from './finish/verdict-now.ts'
import { partTypes, peopleIn } from './hub/people.ts'
import { openEscalations, readAnswered } from './open-escalations.ts'
import { type RunFacts, readRunFacts, userPause } from './run-facts.ts'
import { readWaitsForSlot, type WaitsForSlot } from './schedule/waits-for-slot.ts'
import { readBudget, toRoleSpending, toSpending } from './spent.ts'
import { storyLines } from './story-lines.ts'
import { findRun, type ViewSources } from './view-sources.ts'

export async function readRuns(sources: ViewSources): Promise<RunList> {
  const { repository, version, records, isOwned, goneBranches } = sources
  const about = { repository, version, owned: isOwned() }
  // Reads the newest event first: the rows that are read later may be newer, but never older.
  const last_event = await records.lastEvent()
  const answered = await readAnswered(records)
  const runs = (await records.machines({ kind: 'run' })).toReversed()
  const gone = await goneBranches(runs)
  const verdicts = verdictReader(records, await sources.you())
  const lines = await Promise.all(
    runs.map((run) => readRunLine(records, run, { ...about, verdicts, gone: gone.get(run.id) })),
  )
  const escalations = lines.flatMap(({ asked }, i) => askedIn(runs[i], asked, answered))
  return {
    ...about,
    last_event,
    runs: lines.map(({ line }) => line),
    escalations: escalations.toSorted((a, b) => Number(a.id) - Number(b.id)),
    held: sources.heldNow(),
  }
}

function askedIn(run: Run | undefined, asked: readonly OpenEscalation[], answered: ReadonlySet<string>) {
  return run === undefined ? [] : asked.map((escalation) => toEscalation(escalation, run, answered))
}

interface Newest {
  readonly owned: boolean
  /** The most lines to return. */
  readonly most: number
}

/** The newest Runs of a state, and the number and open questions of all Runs. */
export async function readNewest(records: Records, { owned, most }: Newest) {
  const answered = await readAnswered(records)
  const runs = (await records.machines({ kind: 'run' })).toReversed()
  const lines: RunLine[] = []
  const verdicts = verdictReader(records, null)
  for (const run of runs.slice(0, most)) lines.push((await readRunLine(records, run, { owned, verdicts })).line)
  const unfinished = runs.filter((run) => !isEnded(run.state))
  const open = await Promise.all(unfinished.map((run) => openEscalations(records, run)))
  const escalations = open.flatMap((asked, i) => askedIn(unfinished[i], asked, answered))
  return { lines, total: runs.length, escalations: escalations.toSorted((a, b) => Number(a.id) - Number(b.id)) }
}

/** Yields all Runs as list entries, newest first. */
export async function* readRunLines({ records, isOwned, goneBranches, you }: ViewSources): AsyncGenerator<RunLine> {
  const runs = (await records.machines({ kind: 'run' })).toReversed()
  const gone = await goneBranches(runs)
  const verdicts = verdictReader(records, await you())
  for (const run of runs)
    yield (await readRunLine(records, run, { owned: isOwned(), verdicts, gone: gone.get(run.id) })).line
}

interface RunVerdicts extends Pick<Head, 'owned' | 'gone'> {
  readonly verdicts: VerdictReader
}

/** Reads one Run as a list entry. `gone` is absent if the caller has not looked up the branch. */
export async function readRunLine(records: Records, run: Run, { owned, gone, verdicts }: RunVerdicts) {
  const marks = await records.recentEvents({
    run: run.id,
    types: ['run', 'result', 'run_state', ...partTypes],
    limit: 1_000,
  })
  const stories = await records.machineCounts({ kind: 'story', run: run.id })
  const asked = await openEscalations(records, run)
  const { calls, toolCalls, tokens, costMicroUsd, unpriced } = await records.totals(run.id)
  const line: RunLine = {
    ...headOf(run, {
      owned,
      gone,
      verdict: await verdicts.verdict(run, { isWorkedOn: owned, gone }),
      startedAt: marks.at(-1)?.at ?? '',
      restsSince: marks.find(({ type }) => type === 'run_state')?.at ?? marks.find(isResult)?.at ?? null,
    }),
    stories: {
      total: isPlanOnly(run) ? 0 : Math.max(sumOf(stories), run.data.stories?.length ?? 0),
      done: stories.get('DONE') ?? 0,
    },
    ...peopleIn(run.data.startedBy, marks),
    escalations: asked.length,
    spending: { calls, tool_calls: toolCalls, tokens, cost_usd: costMicroUsd / 1e6, unpriced },
  }
  return { line, asked }
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return all - (counts.get('DROPPED') ?? 0)
}

interface Head {
  readonly owned: boolean
  readonly verdict: Verdict
  /** The fate of the Run's branch if it was deleted. */
  readonly gone?: GoneBranch | undefined
  readonly startedAt: string
  /** The time of the last move; accepting findings later does not count. */
  readonly restsSince: string | null
}

const isResult = ({ type }: Event) => type === 'result'

function headOf(run: Run, { owned, verdict: { heldBy, ...outcome }, gone, startedAt, restsSince }: Head) {
  const rests = isAtRest(run)
  const { branch, base, tip } = run.data
  const hasBranch = landsTogether(run)
    ? publishedBranch(run) !== null
    : run.data.policy.result === 'merged'
      ? tip !== null && tip !== base
      : run.state === 'DONE' && run.data.applied === null
  return {
    run: run.id,
    kind: run.data.request.kind,
    plan_only: isPlanOnly(run),
    state: run.state,
    outcome,
    held_by: heldBy,
    title: firstLine(titleOf(run)),
    ...(run.data.startedBy !== undefined && { started_by: run.data.startedBy }),
    interrupted: !rests && !owned,
    started_at: startedAt,
    ended_at: rests ? restsSince : null,
    branch: hasBranch && run.data.diff === null && gone === undefined ? branch : null,
  }
}

function isPlanOnly({ data: { request } }: Run): boolean {
  return request.kind === 'spec' && request.planOnly
}

function toWaits(waits: WaitsForSlot | null): RunDetail['waits_for_slot'] {
  return waits && { stories: [...waits.stories], sentence: waits.sentence }
}

export async function readRun(sources: ViewSources, id: string): Promise<RunDetail> {
  const { records } = sources
  const last_event = await records.lastEvent()
  const run = await findRun(sources, id)
  const facts = await readRunFacts(records, run)
  const owned = sources.isOwned()
  const gone = (await sources.goneBranches([run])).get(run.id)
  const verdict = await readVerdict(records, run, { isWorkedOn: owned, gone, you: await sources.you() })
  const [task] = facts.stories
  const parts = await records.recentEvents({ run: run.id, types: partTypes, limit: 1_000 })
  const { models, base, tip, error, answer, diff } = run.data
  return {
    ...headOf(run, {
      owned,
      verdict,
      gone,
      startedAt: facts.startedAt,
      restsSince: facts.movesOf.get(null)?.[0]?.at ?? facts.result?.at ?? null,
    }),
    last_event,
    owned,
    base,
    tip,
    answer,
    diff,
    ...peopleIn(run.data.startedBy, parts),
    repositories: landsTogether(run) ? repositoryResults(run).map(toRepository) : [],
    claim: task ? claimOf(task.data) : null,
    spec: writtenSpecOf(answer),
    vague: run.state === 'TOO_VAGUE' ? vagueOf(answer) : null,
    request: requestOf(run),
    models,
    architect: run.data.policy.reviewer !== null ? architectOf(facts) : null,
    stories: storyLines(facts, { owned, now: sources.now(), outcome: verdict }),
    escalations: facts.open.map((escalation) => toEscalation(escalation, run, facts.answered)),
    waits_for_slot: isEnded(run.state) ? null : toWaits(await readWaitsForSlot(records, run, sources.user.slots)),
    pause: pauseOf(facts, { owned, reached: await allReached(records, run) }),
    error: error === null ? null : { ...error },
    merges: facts.merges.map(({ story, state, data }) => ({
      story: story ?? '',
      state,
      commit: data.commit,
      receipt: data.receipt ?? null,
    })),
    budget: await readBudget(records, run),
    spending: toSpending(
      facts.spending,
      [...facts.toolCalls.values()].reduce((sum, calls) => sum + calls, 0),
    ),
    spending_by_role: toRoleSpending(facts.spending),
    transitions: facts.moves.slice(0, limits.dashboard.transitions).map(toTransition),
    ...canNow(run),
  }
}

function toRepository({ name, path, url, sha, branch }: RepositoryResult): RunDetail['repositories'][number] {
  return { name, path, url: url ?? null, sha, branch }
}

export function toTransition({ id, story, at, data: { from, event, to } }: MoveEvent): Transition {
  return { id, story, at, from, event, to }
}

function requestOf({ data: { request } }: Run): RunDetail['request'] {
  const nothing = { source: null, criteria: [], constraints: [], non_goals: [] }
  switch (request.kind) {
    case 'spec':
    case 'interview':
      return { ...nothing, text: request.spec.text, source: request.spec.source }
    case 'task': {
      const { text, acceptance_criteria: criteria = [], constraints, non_goals } = request.task
      return { ...nothing, text, criteria: [...criteria], constraints: [...constraints], non_goals: [...non_goals] }
    }
    case 'scout':
      return { ...nothing, text: request.question, source: request.scout }
    case 'verify':
      return { ...nothing, text: request.commit ?? 'the working tree' }
    default:
      throw new Error(`unknown request ${request satisfies never}`)
  }
}

function architectOf({ run, requests }: RunFacts): NonNullable<RunDetail['architect']> {
  const open = requests.filter(({ state }) => state === 'OPEN' || state === 'ESCALATED')
  return {
    state: architectState(run, requests),
    requests: open.map(({ id, story, state, data }) => {
      return { id, story: story ?? '', kind: data.kind, round: data.round, state }
    }),
  }
}

function pauseOf({ run, stories, lanes }: RunFacts, { owned, reached }: Pausing): Pause {
  if (isEnded(run.state)) return { budget: null, provider: null, user: null }
  const { usd, tokens } = raiseOf(reached)
  const heldByUser = isHeld(run)
  const isPaused = run.state === 'PAUSED'
  const short = lanes.filter(({ data }) => shortageOf(data) !== null)
  const caps = new Set(short.flatMap(({ data }) => shortageOf(data)?.cap ?? []))
  const ofBudget = new Set(short.flatMap(({ story }) => story ?? []))
  const paused = stories.filter(({ state }) => state === 'PAUSED').flatMap(({ story }) => story ?? [])
  const waiting = owned && !(isPaused && heldByUser) ? lanes.filter(({ data }) => suspensionOf(data)) : []
  const [soonest] = waiting
    .flatMap(({ data }) => suspensionOf(data) ?? [])
    .toSorted((a, b) => a.until.localeCompare(b.until))
  const waitingStories = [...new Set(waiting.flatMap(({ story }) => story ?? []))]
  return {
    budget:
      caps.size > 0 || (isPaused && !heldByUser)
        ? {
            caps: [...caps],
            stories: paused.filter((id) => ofBudget.has(id)),
            waiting: [...reached],
            command: `drydock budget ${run.id} ${raiseFlags(reached)}`,
            raise: { run_usd: usd, story_usd: usd, run_tokens: tokens },
          }
        : null,
    provider: soonest
      ? { reason: soonest.reason, until: soonest.until, lanes: waiting.length, stories: waitingStories }
      : null,
    ...userPause(run),
  }
}

interface Pausing {
  readonly owned: boolean
  readonly reached: Awaited<ReturnType<typeof allReached>>
}
