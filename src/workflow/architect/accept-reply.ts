import type { InputOf } from '../../agents/tools/handed-over.ts'
import {
  effectiveVerdict,
  holding,
  type NewFinding,
  type ReviewVerdict,
  type TrackedFinding,
  trackFindings,
} from '../../domain/gate/finding.ts'
import { findingLine } from '../../domain/gate/finding-line.ts'
import { lastWordsOf } from '../../domain/lane/last-words.ts'
import { limits } from '../../domain/limits.ts'
import { openRemarks } from '../../domain/remark/remark-findings.ts'
import type { Request, ReviewKind } from '../../domain/request/request.ts'
import type { Run } from '../../domain/run/run.ts'
import { sentence } from '../../domain/sentence.ts'
import { boundsUsed, describeBounds, extended, storyBounds } from '../../domain/story/bounds.ts'
import type { Review, Story } from '../../domain/story/story.ts'
import { wordsOfLane } from '../../domain/story/why-ended.ts'
import { capText } from '../../domain/text.ts'
import type { ContextFile } from '../../ports/rows.ts'
import type { Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { prepareStuck } from '../editor/milestone.ts'
import { type Acts, type Decision, keptFile, type LaneCall } from '../lane/decision.ts'
import { refuseCall } from '../lane/refuse-call.ts'
import { load, requireStory } from '../machines.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import type { StoryMove } from '../story/move-story.ts'
import { approvedMove } from './approved-move.ts'
import { appendRequest } from './open-request.ts'
import { approvalNotes, budgetMessage, reviewMessage } from './prompts/request.ts'

type Reply = InputOf<'submit_reply'>

interface ReplyInput {
  readonly run: Run
  readonly story: Story
  readonly request: Request
  readonly reply: Reply
}

/**
 * Moves the story by the architect's verdict on its request. An invalid answer becomes an error
 * result, and the lane continues.
 */
export async function acceptReply(
  deps: StoryDependencies,
  { run, lane, input: reply }: LaneCall<'submit_reply'>,
  signal: AbortSignal,
): Promise<Decision> {
  const request = await load(deps.store, 'request', lane.data.parent)
  const story = await requireStory(deps.store, lane)
  const { kind } = request.data
  if (kind === 'acceptance') throw new Error(`${request.id} is answered by a judgement`)
  if (kind !== 'question' && reply.verdict === undefined) {
    const output = `A ${kind} request needs a verdict: APPROVED, NEEDS_CHANGES or REJECTED.`
    return refuseCall(deps, { run, lane, output }, signal)
  }
  const replied = { run, story, request, reply }
  const { verdict, move, file } = await decide(deps, replied, signal)
  return [
    { type: 'end_lane', lane: lane.id },
    { type: 'answer_request', request, verdict, response: reply.response },
    ...keptFile(file),
    ...(kind !== 'question' && kind !== 'budget' ? tellReview({ request, kind, verdict, move }) : []),
    { type: 'advance_story', story, move },
  ]
}

/** Tells the readers of the thread how the architect answered the request. */
export async function answerReview(tx: Transaction, act: Acts['answer_request']): Promise<void> {
  const { request, verdict, response } = act
  await appendRequest(tx, await tx.move(request, 'answered', { data: { verdict, response }, next: 'rest' }))
}

interface ReplyOutcome {
  readonly verdict: ReviewVerdict | null
  readonly move: StoryMove
  readonly file?: ContextFile
}

async function decide(deps: StoryDependencies, replied: ReplyInput, signal: AbortSignal): Promise<ReplyOutcome> {
  const { kind } = replied.request.data
  const { response } = replied.reply
  if (kind === 'acceptance') throw new Error(`${replied.request.id} is answered by a judgement`)
  if (kind === 'question') return { verdict: null, move: { event: 'answered', answer: { output: response, ok: true } } }
  if (kind === 'budget') return decideBudget(deps, replied)
  return decideReview(deps, { ...replied, kind }, signal)
}

/**
 * The architect decides by figures: the editor either continues with its count at 0, or a human is
 * asked. After a few extensions without progress a human is asked anyway.
 */
async function decideBudget(
  { store }: Pick<WorkflowDependencies, 'store'>,
  { run, story, request, reply }: ReplyInput,
): Promise<ReplyOutcome> {
  const { cause } = request.data
  const { verdict = 'REJECTED', response } = reply
  const extensions = extended(story.data)
  const isSpent = extensions.given > storyBounds.extensions.most
  if (verdict === 'REJECTED' || isSpent) {
    const why = isSpent
      ? `The architect has let it continue ${storyBounds.extensions.most} times, and nothing was better after that.`
      : 'The architect would not let it continue.'
    const words = story.data.lane === null ? undefined : lastWordsOf(await store.messages(story.data.lane))
    const question = sentence`The editor of ${story.story ?? ''} was stopped: ${cause ?? ''}. ${why} How should it continue?`
    return {
      verdict,
      move: {
        event: 'rejected',
        data: { extensions: { ...extensions, given: 0 } },
        question: {
          question,
          ...historyOf(run, story),
          evidence: [sentence`The architect: ${response}`, ...wordsOfLane({ last: null, words })].join('\n\n'),
        },
      },
    }
  }
  const { planningIterations = 0, codingIterations = 0 } = run.data.config ?? {}
  const iterations = story.data.origin === 'PLANNING' ? planningIterations : codingIterations
  const answer = { output: budgetMessage({ response, iterations, cause }), ok: true }
  const goesOn = { data: { extensions }, answer }
  if (verdict === 'APPROVED') return { verdict, move: { event: 'approved', ...goesOn } }
  return { verdict, move: { event: 'needs_changes', ...goesOn } }
}

interface ReviewReply extends ReplyInput {
  readonly kind: ReviewKind
}

async function decideReview(
  deps: StoryDependencies,
  reviewed: ReviewReply,
  signal: AbortSignal,
): Promise<ReplyOutcome> {
  const { run, story, request, reply, kind } = reviewed
  const before = story.data.reviews[kind]
  const findings = trackFindings(before.findings, {
    findings: findingsOf(reply),
    accepted: reply.accepted ?? [],
    settled: reply.settled ?? [],
    round: request.data.round,
    prefix: kind.charAt(0),
  })
  // An editor that changes nothing settles no remark.
  const remarks = kind === 'completion' ? openRemarks(story.data.reviews.code.findings) : []
  const verdict = effectiveVerdict(reply.verdict ?? 'NEEDS_CHANGES', [...findings, ...remarks])
  const review: Review = {
    findings,
    sha: request.data.sha,
    returned: verdict === 'NEEDS_CHANGES' ? before.returned + 1 : 0,
  }
  const data = { reviews: { ...story.data.reviews, [kind]: review } }
  const { response } = reply
  switch (verdict) {
    case 'APPROVED': {
      const { name, round, sha } = request.data
      const notes = approvalNotes({ response, findings })
      const candidate = { candidate: sha, reviewer: `architect (code/${name}/${round})` }
      return { verdict, move: { data, ...(await approvedMove(deps, { run, story, kind, notes, candidate })) } }
    }
    case 'NEEDS_CHANGES': {
      if (review.returned >= (run.data.config?.reviewRounds ?? 0))
        return { verdict, move: roundsSpent(reviewed, review) }
      const output = reviewMessage({ kind, verdict, response, findings: [...findings, ...remarks] })
      return { verdict, move: { event: 'needs_changes', data, answer: { output, ok: false } } }
    }
    case 'REJECTED': {
      const stop = { reason: 'rejected', last: response } as const
      const stuck = await prepareStuck(deps, { run, story, data: { ...data, stop }, tail: null }, signal)
      return { verdict, move: { event: 'rejected', data: stuck.data }, file: stuck.file }
    }
    default:
      throw new Error(`unknown verdict ${verdict satisfies never}`)
  }
}

/** A request for changes without findings becomes one finding, with the response as its claim. */
function findingsOf({ verdict, findings = [], response }: Reply): readonly NewFinding[] {
  if (verdict !== 'NEEDS_CHANGES' || findings.length > 0) return findings
  return [{ severity: 'major', file: '', claim: response.slice(0, 2_000), evidence: '' }]
}

/** After the last round a human is asked once; the rounds then count from 0 again. */
function roundsSpent({ story, kind, reply, request }: ReviewReply, review: Review): StoryMove {
  const held = holding(review.findings)
  const evidence = held.map((finding) => `- ${findingLine(finding)}`)
  return {
    event: 'escalated',
    data: { reviews: { ...story.data.reviews, [kind]: { ...review, returned: 0 } } },
    question: {
      question: `The ${kind} of ${story.story} was sent back ${review.returned === 1 ? 'once' : `${review.returned} times`} and still has open findings. What should the review accept, and what must change?`,
      tried: `${request.data.round === 1 ? '1 round' : `${request.data.round} rounds`} of review, the last at ${request.data.sha.slice(0, 12)}`,
      evidence: [reply.response, ...evidence].join('\n'),
      findings: held.map(({ id }) => id),
    },
  }
}

function historyOf({ data: { config } }: Run, { data }: Story): { readonly tried: string } {
  const tried = `${data.plans.length} plans, ${data.attempts.length} verifications, ${data.requests.budget} budget reviews`
  const used = describeBounds(boundsUsed(data, config?.reviewRounds))
  return { tried: [tried, used].filter(Boolean).join('; ') }
}

interface ReviewMove {
  readonly request: Request
  readonly kind: ReviewKind
  readonly verdict: ReviewVerdict | null
  readonly move: StoryMove
}

function tellReview({ request: { run, story, data: asked }, kind, verdict, move }: ReviewMove): Decision {
  const findings = move.data?.reviews?.[kind].findings ?? []
  const open = findings.filter(({ state }) => state === 'open')
  const data = { kind, round: asked.round, verdict, open: open.length, findings: open.map(inShort) }
  return [{ type: 'tell', event: { run, story, type: 'review', data } }]
}

/** A finding as events show it; the story keeps the full text. */
function inShort({ id, severity, file, line, claim }: TrackedFinding) {
  return { id, severity, file, line: line ?? null, claim: capText(claim, limits.eventTextChars) }
}
