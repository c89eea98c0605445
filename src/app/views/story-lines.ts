import type { StoryLine } from '../../api/runs.ts'
import { agentOf, writesTests } from '../../domain/lane/lane.ts'
import { limits } from '../../domain/limits.ts'
import { isAtRest, type Outcome } from '../../domain/run/outcome.ts'
import { subjectOf } from '../../domain/run/subject.ts'
import type { AgainstPeers } from '../../domain/story/against-peers.ts'
import { type PlannedStory, shownTitle } from '../../domain/story/planned-story.ts'
import type { Story } from '../../domain/story/story.ts'
import { firstLine } from '../../domain/text.ts'
import { canRetry } from '../operations/act/retry.ts'
import { peersOf } from './peers.ts'
import { type RunFacts, storyPauser } from './run-facts.ts'
import { toSpending } from './spent.ts'

/**
 * The stories of a Run for its board. Until they exist, lists them as planned. Empty for a plan
 * that nobody builds.
 */
export function storyLines(facts: RunFacts, now: Now): StoryLine[] {
  const { run, stories } = facts
  const { request } = run.data
  const known = new Map(stories.map((story) => [story.story, story]))
  const { owned, outcome } = now
  // Time ends at the last move if no process works on the Run.
  const peers = peersOf(facts, owned ? now.now.toISOString() : (facts.moves[0]?.at ?? ''))
  if (request.kind !== 'spec')
    return stories.map((story) => storyLine(facts, planOfTask(story), { story, owned, outcome, peers }))
  if (request.planOnly) return []
  const planned = run.data.stories ?? stories.flatMap(({ data }) => data.planned ?? [])
  return planned.map((plan) => storyLine(facts, plan, { story: known.get(plan.id) ?? null, owned, outcome, peers }))
}

function planOfTask({ story, data: { task } }: Story): Pick<PlannedStory, 'id' | 'title' | 'depends_on'> {
  return { id: story ?? '', title: firstLine(subjectOf(task.text)), depends_on: [] }
}

interface Now {
  readonly owned: boolean
  readonly now: Date
  /** The outcome of the Run from its verdict; null if stories show no outcome. */
  readonly outcome: Outcome | null
}

interface StoryFacts {
  readonly story: Story | null
  readonly owned: boolean
  readonly outcome: Outcome | null
  readonly peers: ReadonlyMap<string, AgainstPeers>
}

function storyLine(
  facts: RunFacts,
  plan: Pick<PlannedStory, 'id' | 'title' | 'depends_on' | 'repository'>,
  { story, owned, outcome, peers }: StoryFacts,
): StoryLine {
  const { movesOf, spending, toolCalls, listedAt } = facts
  const { id, depends_on } = plan
  const own = movesOf.get(id) ?? []
  const data = story?.data
  const reviews = data?.requests ?? { plan: 0, code: 0, completion: 0 }
  const findings = Object.values(data?.reviews ?? {}).flatMap((review) => review.findings)
  const createdAt = own.at(-1)?.at ?? null
  return {
    id,
    title: shownTitle(plan),
    depends_on: [...depends_on],
    state: story?.state ?? 'QUEUED',
    ...outcomeOfTask(facts, outcome),
    ...pauseLabel(facts, story),
    since: own[0]?.at ?? listedAt,
    created_at: listedAt ?? createdAt,
    slot: data?.slot ?? null,
    working: story !== null && owned ? workerOf(facts, story) : null,
    attempt: story && story.data.planning > 0 ? attemptOf(story) : null,
    retry: story !== null && canRetry(facts.run, story),
    most_attempts: limits.verifyLoops,
    verifications: data?.attempts.length ?? 0,
    last_status: data?.attempts.at(-1)?.status ?? null,
    reviews: reviews.plan + reviews.code + reviews.completion,
    findings: findings.filter(({ state }) => state === 'open').length,
    snapshot: data?.snapshot?.sha ?? null,
    retries: data?.retries ?? 0,
    against_peers: peers.get(id) ?? { calls: null, time: null },
    escalation: facts.open.find(({ message }) => message.story === id)?.message.id ?? null,
    spending: toSpending(
      spending.filter((each) => each.story === id),
      toolCalls.get(id) ?? 0,
    ),
  }
}

function pauseLabel(facts: RunFacts, story: Story | null): Pick<StoryLine, 'outcome_label'> {
  const pauser = storyPauser(facts, story ?? undefined)
  return pauser === null ? {} : { outcome_label: `Paused by ${pauser}` }
}

const beforeVerdict: readonly Story['state'][] = [
  'PLANNING',
  'PLAN_REVIEW',
  'CODING',
  'QUESTION',
  'BUDGET_REVIEW',
  'VERIFYING',
]

/** The current attempt, or else the last one. */
function attemptOf({ state, data: { attempts } }: Story): number {
  return beforeVerdict.includes(state) ? attempts.length + 1 : Math.max(1, attempts.length)
}

/** The outcome of a task's story, which is the outcome of the task. */
function outcomeOfTask(
  { run, result }: RunFacts,
  outcome: Outcome | null,
): Pick<StoryLine, 'outcome' | 'outcome_label'> {
  if (run.data.request.kind !== 'task' || !isAtRest(run) || result === null || outcome === null)
    return { outcome: null }
  const { code, label } = outcome
  return { outcome: code, ...(label !== undefined && { outcome_label: label }) }
}

/**
 * The lane that is working for a story. A lane that waits has asked another one, which was opened
 * later, so the newest lane counts.
 */
function workerOf({ run, lanes }: RunFacts, { story, state }: Story): StoryLine['working'] {
  if (run.state === 'ERROR' || run.state === 'PAUSED') return null
  const own = lanes.filter((each) => each.story === story && !writesTests(each.data.role))
  const lane = own.findLast((each) => each.state !== 'WAITING' && each.data.rest == null)
  if (lane && state !== 'ESCALATED' && state !== 'PAUSED') {
    return { agent: agentOf(lane.data.role), lane: lane.data.key }
  }
  return state === 'VERIFYING' ? { agent: 'verifier', lane: 'verification' } : null
}
