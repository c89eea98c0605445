import { firmFindings } from '../../domain/gate/finding.ts'
import { type Outcome, outcomeOfResult, pausedResult } from '../../domain/run/outcome.ts'
import { publishedBranch } from '../../domain/run/published-branch.ts'
import { landsTogether, repositoryOf, repositoryResults } from '../../domain/run/repositories.ts'
import type { Result, StoryResult } from '../../domain/run/result.ts'
import type { Run } from '../../domain/run/run.ts'
import { nameOf } from '../../domain/story/name-of.ts'
import { shownTitle } from '../../domain/story/planned-story.ts'
import { claimOf, type Story } from '../../domain/story/story.ts'
import type { Verdict, VerifierResponse } from '../../domain/verification/verdict.ts'
import type { Records, Totals, Transaction } from '../../ports/store.ts'
import { storiesOf } from '../machines.ts'
import { allReached } from '../rest/budget-reached.ts'

/**
 * Appends the result of a Run that has come to rest: the last line of `--json`, and the source of
 * exit codes.
 */
export async function appendResult(tx: Transaction, run: Run): Promise<void> {
  await tx.appendEvent({ run: run.id, story: null, type: 'result', data: await resultOf(tx, run) })
}

/** The present result of a Run; the caller passes `outcome` if it knows more than the Run does. */
export async function resultOf(records: Records, run: Run, outcome: Outcome | null = null): Promise<Result> {
  const stories = await storiesOf(records, run.id)
  const totals = await records.totals(run.id)
  const { request, base, applied, diff, error, answer } = run.data
  const result: Result = {
    status: verdictOf(run) ?? run.state,
    kind: request.kind,
    branch: publishedBranch(run),
    base,
    ...(landsTogether(run) && { repositories: repositoryResults(run) }),
    stories: await Promise.all(stories.map((story) => storyResult(records, story))),
    cost_usd: costUsd(totals),
    tokens: totals.tokens,
    ...(applied && { applied }),
    ...(diff !== null && { diff }),
    ...(run.state === 'PAUSED' && {
      ...pausedResult(run),
      paused: await allReached(records, run),
    }),
    ...(error && { error }),
    ...(answer !== null && { answer }),
    ...claimIn(stories),
  }
  return { ...result, outcome: outcome ?? outcomeOfResult(result) }
}

/** The claim of a task that ended without a change. */
function claimIn([story]: readonly Story[]): Pick<Result, 'claim'> {
  const claim = story ? claimOf(story.data) : null
  return claim === null ? {} : { claim }
}

/** Null if the price of a call is unknown. */
function costUsd({ costMicroUsd, unpriced }: Totals): number | null {
  return unpriced > 0 ? null : costMicroUsd / 1e6
}

/** A Run that only verifies has the status of its verdict. */
function verdictOf({ data: { request, answer } }: Run): Verdict['status'] | null {
  if (request.kind !== 'verify' || answer === null) return null
  return (answer as unknown as VerifierResponse).status
}

async function storyResult(records: Records, story: Story): Promise<StoryResult> {
  const { attempts, summary, stuckReport, stop, reviews } = story.data
  const last = attempts.at(-1)
  const findings = firmFindings(reviews.code.findings).map(({ id, state, file, claim, evidence }) => ({
    id,
    state,
    file,
    claim,
    evidence,
  }))
  const infra =
    stop && 'infra' in stop ? { error_type: stop.infra.errorType, error_message: stop.infra.errorMessage } : {}
  return {
    id: story.story ?? '',
    state: story.state,
    ...repositoryIn(story),
    run_id: last?.runId ?? null,
    sha: last?.sha ?? null,
    verdict: last?.status ?? null,
    tests: last?.tests ?? null,
    attempts: attempts.length,
    ...(nameOf(story) !== null && (await crewResult(records, story))),
    ...(summary && { summary: summary.text, outside_plan: summary.outsidePlan }),
    ...(summary?.counts && { outside_plan_count: summary.counts.outsidePlan }),
    findings,
    ...keptOf(story),
    ...(stuckReport !== null && { stuck_report: stuckReport }),
    ...infra,
  }
}

/** Omitted for a story that is DONE with a change, since the branch has it. */
function keptOf({ state, data: { attempts, base, kept } }: Story): Pick<StoryResult, 'kept'> {
  if (state === 'DONE') return attempts.at(-1)?.sha === base ? { kept: false } : {}
  return kept === undefined ? {} : { kept }
}

function repositoryIn(story: Story): Pick<StoryResult, 'repository'> {
  const repository = repositoryOf(story)
  return repository === undefined ? {} : { repository }
}

/** The fields that only a story of a spec has; its merge decides. */
async function crewResult(records: Records, { run, story, data }: Story): Promise<Partial<StoryResult>> {
  const totals = await records.totals(run, story ?? '')
  const { plan, code, completion } = data.requests
  const merges = await records.machines({ kind: 'merge', run, states: ['MERGED'] })
  const merged = merges.findLast((merge) => merge.story === story)?.data
  return {
    title: data.planned === null ? '' : shownTitle(data.planned),
    reviews: plan + code + completion,
    tokens: totals.tokens,
    cost_usd: costUsd(totals),
    ...(merged?.attempt && { run_id: merged.attempt.runId, sha: merged.commit }),
  }
}
