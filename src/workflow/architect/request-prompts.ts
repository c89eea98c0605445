import { limits } from '../../domain/limits.ts'
import { openRemarks } from '../../domain/remark/remark-findings.ts'
import type { RequestKind, ReviewKind } from '../../domain/request/request.ts'
import { besideStory } from '../../domain/run/repositories.ts'
import type { Run } from '../../domain/run/run.ts'
import { boundsUsed, describeBounds, storyBounds } from '../../domain/story/bounds.ts'
import { type Story, slotOf } from '../../domain/story/story.ts'
import type { ModelCall } from '../../ports/rows.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { brief } from '../editor/prompts/story-brief.ts'
import { guideFor } from '../guide/guide-for.ts'
import type { NewRequest } from './open-request.ts'
import {
  type About,
  budgetPrompt,
  codePrompt,
  completionPrompt,
  planPrompt,
  questionPrompt,
} from './prompts/request.ts'

type Deps = Pick<WorkflowDependencies, 'history' | 'store' | 'guides'>

interface Asking {
  readonly run: Run
  /** The story after the snapshot of its workspace. */
  readonly story: Story
}

/**
 * The request for a review of the editor's latest submission. `guidance` holds a human's words
 * about the previous review.
 */
export async function reviewRequest(
  deps: Deps,
  { run, story, kind, guidance = null }: Asking & { readonly kind: ReviewKind; readonly guidance?: string | null },
): Promise<NewRequest> {
  const { data } = story
  const { findings } = data.reviews[kind]
  const plan = data.plans.at(-1) ?? null
  const attempt = data.attempts.at(-1)
  const sha = kind === 'plan' ? shaOf(story) : (attempt?.sha ?? shaOf(story))
  const { about, base } = await requestStart(deps, { run, story, kind, sha, guidance })
  if (kind === 'plan') {
    if (plan === null) throw new Error(`story ${story.id} has no plan`)
    const previous = data.reviews.plan.sha === null ? null : (data.plans.at(-2) ?? null)
    return { ...base, prompt: planPrompt(about, { plan, previous, findings }) }
  }
  const { summary } = data
  const runId = attempt?.runId ?? ''
  if (kind === 'completion') {
    const remarks = openRemarks(data.reviews.code.findings)
    return { ...base, prompt: completionPrompt(about, { plan, summary, runId, findings: [...findings, ...remarks] }) }
  }
  const since = data.reviews.code.sha
  const [diff, changed] = await Promise.all([
    diffOf(deps, data.base, sha),
    since === null ? null : diffOf(deps, since, sha),
  ])
  const delta = since === null || changed === null ? null : { since, diff: changed }
  return { ...base, prompt: codePrompt(about, { plan, summary, runId, diff, delta, findings }) }
}

export async function questionRequest(
  deps: Deps,
  { run, story, question }: Asking & { readonly question: string },
): Promise<NewRequest> {
  const { about, base } = await requestStart(deps, { run, story, kind: 'question', sha: shaOf(story), guidance: null })
  const { most, used } = storyBounds.questions
  return { ...base, prompt: questionPrompt(about, question, `question ${used(story.data)} of ${most}`) }
}

/** The reason why an editor was stopped, in figures. */
export interface Spent {
  readonly lane: string
  /** Turns used, and the limit. */
  readonly turns: string
  /** The reason in words, with figures. */
  readonly cause: string
  /** The last calls, or the last call that was refused or that failed. */
  readonly last: string | null
}

export async function budgetRequest(
  deps: Deps,
  { run, story, spent }: Asking & { readonly spent: Spent },
): Promise<NewRequest> {
  const { data } = story
  const { about, base } = await requestStart(deps, { run, story, kind: 'budget', sha: shaOf(story), guidance: null })
  const [calls, totals, files] = await Promise.all([
    deps.store.modelCalls(run.id, `${run.id}/${spent.lane}`),
    deps.store.totals(run.id, story.story ?? ''),
    data.snapshot === null ? [] : deps.history.changedFiles(data.base, data.snapshot.sha),
  ])
  const attempts = data.attempts.map(({ runId, status }) => `${runId}: ${status}`)
  const cost = totals.unpriced > 0 ? 'unknown' : `$${(totals.costMicroUsd / 1e6).toFixed(2)}`
  const minutes = Math.round(timeOf(calls) / 60_000)
  const bounds = describeBounds(boundsUsed(data, run.data.config?.reviewRounds))
  const figures = { ...spent, cost, minutes, stop: spent.cause, bounds }
  return {
    ...base,
    cause: `${spent.cause} (${spent.turns} turns used, ${minutes} min; the story has cost ${cost})`,
    prompt: budgetPrompt(about, { ...figures, attempts, filesChanged: files.length, tokens: totals.tokens }),
  }
}

/** Milliseconds from the first call of a lane to the end of the last. */
function timeOf(calls: readonly ModelCall[]): number {
  const [first, last] = [calls.at(0), calls.at(-1)]
  return first && last ? Date.parse(last.startedAt) + last.durationMs - Date.parse(first.startedAt) : 0
}

interface Start extends Asking {
  readonly kind: RequestKind
  readonly sha: string
  readonly guidance: string | null
}

/** The first part of a request: its story, and the workspace and commit that it is about. */
export async function requestStart(
  deps: Deps,
  { run, story, kind, sha, guidance }: Start,
): Promise<{ readonly about: About; readonly base: Omit<NewRequest, 'prompt'> }> {
  const { config } = run.data
  if (config === null) throw new Error(`run ${run.id} has not started`)
  const { steps, prepare, services = [] } = config
  // A story without a workspace is read from its snapshot, under the last name of the workspace.
  const coder = story.data.slot ?? (await lastCoder(deps, story))
  const guide = kind === 'budget' || kind === 'acceptance' ? null : await guideFor(deps, story)
  const text = brief(story.data.task, { guide, steps, prepare, services, beside: besideStory(run, story) })
  const about = { brief: text, coder, sha, round: (story.data.requests[kind] ?? 0) + 1, guidance }
  return { about, base: { kind, sha, coder } }
}

async function lastCoder({ store }: Deps, story: Story): Promise<string> {
  const request = story.data.request === null ? null : await store.machine(story.data.request)
  return request === null ? slotOf(story) : String((request.data as { coder: string }).coder)
}

function shaOf({ data }: Story): string {
  return data.snapshot?.sha ?? data.base
}

async function diffOf({ history }: Deps, from: string, to: string): Promise<string> {
  const { text, truncated } = await history.diff({ from, to, maxBytes: limits.promptDiffBytes })
  return truncated ? `${text}\n… the diff continues: get_diff shows it by path …` : text
}
