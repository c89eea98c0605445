import type { Review, ScoutReport, StoryDetail, StoryRequest, StoryVerification } from '../../api/stories.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { Request } from '../../domain/request/request.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import { whyEnded } from '../../domain/story/why-ended.ts'
import type { VerificationRow } from '../../ports/rows.ts'
import type { Records } from '../../ports/store.ts'
import { readReport } from '../../workflow/scout/scout-reports.ts'
import { readAcceptances } from './acceptance/read-acceptance.ts'
import { editorStop } from './editor-stop.ts'
import { readVerdict } from './finish/verdict-now.ts'
import { readRunFacts } from './run-facts.ts'
import { toTransition } from './runs.ts'
import { toRoleSpending } from './spent.ts'
import { storyLines } from './story-lines.ts'
import { findRun, type ViewSources } from './view-sources.ts'

export async function readStory(sources: ViewSources, runId: string, id: string): Promise<StoryDetail> {
  const { records } = sources
  const run = await findRun(sources, runId)
  const last_event = await records.lastEvent()
  const facts = await readRunFacts(records, run)
  const owned = sources.isOwned()
  const gone = (await sources.goneBranches([run])).get(run.id)
  const outcome = await readVerdict(records, run, { isWorkedOn: owned, gone, you: null })
  const lines = storyLines(facts, { owned, now: sources.now(), outcome })
  const line = lines.find((each) => each.id === id)
  if (line === undefined) throw noStory(run, id, lines)
  const story = facts.stories.find((each) => each.story === id) ?? null
  const plan = run.data.stories?.find((each) => each.id === id) ?? null
  const task = story?.data.task
  const requests = facts.requests.filter((each) => each.story === id)
  return {
    ...line,
    run: run.id,
    last_event,
    content: plan?.content ?? task?.text ?? '',
    acceptance_criteria: [...(plan?.acceptance_criteria ?? task?.acceptance_criteria ?? [])],
    files_hint: [...(plan?.files_hint ?? task?.files ?? [])],
    constraints: [...(task?.constraints ?? [])],
    non_goals: [...(task?.non_goals ?? [])],
    dependents: lines.filter((each) => each.depends_on.includes(id)).map((each) => each.id),
    ...workOf(story, requests),
    ...reviewsOf(story, { run, requests }),
    requests: requests.map((request) => toRequest(request)),
    acceptance: (await readAcceptances(records, run, facts.stories)).get(id) ?? null,
    ...(await recordsOf(records, run, id)),
    spending_by_role: toRoleSpending(facts.spending.filter((each) => each.story === id)),
    transitions: (facts.movesOf.get(id) ?? []).slice(0, limits.dashboard.transitions).map(toTransition),
  }
}

function noStory(run: Run, id: string, lines: readonly { readonly id: string }[]): DrydockError {
  const ids = lines.map((each) => each.id)
  return new DrydockError('not_found', `${run.id} has no story "${id}".`, {
    todo: ids.length > 0 ? `Its stories are: ${ids.join(', ')}` : 'It has no stories yet.',
  })
}

type Work = Pick<
  StoryDetail,
  | ('plan' | 'earlier_plans' | 'hypotheses' | 'base' | 'sha' | 'failures' | 'summary')
  | ('stuck_report' | 'stopped_because' | 'merge_returns')
>

function workOf(story: Story | null, requests: readonly Request[]): Work {
  const data = story?.data
  const plans = (data?.plans ?? []).toReversed().map((plan) => structuredClone(plan) as NonNullable<Work['plan']>)
  const summary = data?.summary ?? null
  return {
    plan: plans[0] ?? null,
    earlier_plans: plans.slice(1),
    hypotheses: [...(data?.hypotheses ?? [])],
    base: data?.base ?? null,
    sha: data?.snapshot?.sha ?? null,
    failures: data?.failures ?? { consecutive: 0, loops: 0 },
    summary: summary && {
      text: summary.text,
      files: [...summary.files],
      outside_plan: [...summary.outsidePlan],
      tests: [...summary.tests],
    },
    stuck_report: data?.stuckReport ?? null,
    stopped_because: story === null ? null : stoppedBecause(story, requests),
    merge_returns: data?.mergeReturns ?? 0,
  }
}

function stoppedBecause(story: Story, requests: readonly Request[]): string | null {
  const editor = editorStop(story, requests)
  const { stop } = story.data
  if (editor !== null) return `the editor was stopped: ${editor}`
  return stop === null ? null : whyEnded(stop)
}

interface Reviewing {
  readonly run: Run
  /** All requests of the story. */
  readonly requests: readonly Request[]
}

function reviewsOf(story: Story | null, { run, requests }: Reviewing): Pick<StoryDetail, 'reviews'> {
  const most = run.data.config?.reviewRounds ?? limits.reviewRounds
  const kinds = ['plan', 'code', 'completion'] as const
  return {
    reviews: kinds.flatMap((kind) => {
      const review = story?.data.reviews[kind]
      if (review === undefined || ((story?.data.requests[kind] ?? 0) === 0 && review.findings.length === 0)) return []
      const findings = review.findings.map(({ line, by, acceptedBy, accepter, author, answer, ...finding }) => ({
        ...finding,
        ...(line !== undefined && { line }),
        ...(by && { by }),
        ...(author !== undefined && { author }),
        ...(answer && { answer }),
        ...(acceptedBy && { accepted_by: acceptedBy }),
        ...(accepter !== undefined && { accepter }),
      }))
      const rounds = requests.filter(({ data }) => data.kind === kind && data.name === story?.data.name)
      const counts = { ...sentBack(rounds, most), returned: review.returned, most_returned: most }
      return [{ kind, ...counts, sha: review.sha, findings }]
    }),
  }
}

/**
 * Counts how often the story was sent back in total, and how often a human was asked because it had
 * reached the limit.
 */
function sentBack(rounds: readonly Request[], most: number): Pick<Review, 'sent_back' | 'humans_asked'> {
  let [sent_back, humans_asked, inARow] = [0, 0, 0]
  for (const { data } of rounds) {
    inARow = data.verdict === 'NEEDS_CHANGES' ? inARow + 1 : 0
    if (inARow > 0) sent_back += 1
    if (inARow < most) continue
    humans_asked += 1
    inARow = 0
  }
  return { sent_back, humans_asked }
}

function toRequest({ id, run, state, data }: Request): StoryRequest {
  const { kind, round, sha, verdict, lane, escalation } = data
  // Reasons about hidden tests are only shown together with these tests.
  const response = kind === 'acceptance' ? null : data.response
  return { id, kind, round, state, sha, verdict, response, escalation, lane: lane.slice(run.length + 1) }
}

async function recordsOf(
  records: Records,
  { id: run }: Run,
  story: string,
): Promise<Pick<StoryDetail, 'runs' | 'scouts' | 'context_files'>> {
  const [rows, queries, files, verifications] = await Promise.all([
    records.verifications(run, story),
    records.machines({ kind: 'scout_query', run }),
    records.contextFiles(run, story),
    records.machines({ kind: 'verification', run }),
  ])
  const merges = new Set(verifications.flatMap(({ data }) => (data.merge === null ? [] : [data.runId])))
  const own = queries.filter((query) => query.story === story)
  return {
    runs: rows.map((row) => toVerification(row, merges)),
    scouts: await Promise.all(
      own.map(async (query): Promise<ScoutReport> => {
        const { id, state } = query
        const { scout, question, attempt, problems } = query.data
        const report = query.state === 'ANSWERED' ? await readReport(records, query) : null
        return { id, scout, question, state, attempt, problems: [...problems], report }
      }),
    ),
    context_files: files.map(({ n, milestone, content }) => ({ n, milestone, content })),
  }
}

function toVerification(row: VerificationRow, merges: ReadonlySet<string>): StoryVerification {
  const { runId, status, commitSha, finishedAt } = row
  return {
    run_id: runId,
    status,
    sha: commitSha,
    finished_at: finishedAt,
    duration_ms: Math.round(durationOf(row)),
    of: merges.has(runId) ? 'merge' : 'change',
  }
}

/** The total duration of its commands in milliseconds. */
export function durationOf({ manifest }: Pick<VerificationRow, 'manifest'>): number {
  return (manifest?.commands_executed ?? []).reduce((sum, { duration_ms }) => sum + duration_ms, 0)
}
