import type { LaneRequest } from '../../agents/lane.ts'
import { isSecret } from '../../agents/tools/roles.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import { lastWordsOf } from '../../domain/lane/last-words.ts'
import type { Message } from '../../domain/lane/message.ts'
import { limits } from '../../domain/limits.ts'
import type { Run } from '../../domain/run/run.ts'
import { wordsOfLane } from '../../domain/story/why-ended.ts'
import type { Transaction } from '../../ports/store.ts'
import { appendRequest } from '../architect/open-request.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { endLane } from '../lane/answer-lane.ts'
import type { Acts, Decision } from '../lane/decision.ts'
import { openAnew } from '../lane/open-lane.ts'
import { load } from '../machines.ts'
import { restIfPaused } from '../rest/pause-lane.ts'
import { moveRun } from '../run/move-run.ts'
import { schedule } from '../run/schedule.ts'
import { askHuman, type Question } from './ask-human.ts'

interface StoppedLane {
  readonly run: Run
  readonly lane: Lane
  readonly request: Extract<LaneRequest, { type: 'stopped' }>
}

/**
 * Escalates a stopped architect: its request is ESCALATED, or the Run if the lane was the Run's
 * own. The lane waits for a human without a job, and later continues.
 */
export async function escalateLane(
  deps: Pick<WorkflowDependencies, 'store'>,
  { run, lane, request }: StoppedLane,
): Promise<Decision> {
  const messages = await deps.store.messages(lane.id)
  const isAtFault = request.stop === 'malformed' || request.stop === 'refused'
  const model = run.data.models?.architect ?? ''
  const asking = isAtFault ? faultQuestion({ run, lane, model, request }) : stopQuestion(lane, request, messages)
  const question = withoutSecrets(lane, asking)
  const asked = lane.data.parent === run.id ? null : await load(deps.store, 'request', lane.data.parent)
  if (isAtFault && asked !== null && !asked.data.isAnew)
    return [{ type: 'ask_anew', request: asked, lane, text: firstText(messages) }]
  return escalateArchitect(deps, { run, lane, question })
}

interface Escalating {
  readonly run: Run
  readonly lane: Lane
  readonly question: Question
}

/** Asks a human about an architect's lane, which waits without a job. */
export async function escalateArchitect(
  deps: Pick<WorkflowDependencies, 'store'>,
  { run, lane, question }: Escalating,
): Promise<Decision> {
  if (lane.data.parent === run.id) return [{ type: 'escalate_run', run: run.id, question }]
  const request = await load(deps.store, 'request', lane.data.parent)
  return [{ type: 'escalate_request', request, question }]
}

/** Makes the request wait for a human, and the Run too if it depends on the request. */
export async function escalateRequest(
  tx: Transaction,
  { request, question }: Acts['escalate_request'],
  deps: Pick<WorkflowDependencies, 'clock' | 'scope' | 'slotCaps'>,
): Promise<void> {
  const escalation = await askHuman(tx, request, { agent: 'architect', ...question })
  await appendRequest(tx, await tx.move(request, 'escalated', { data: { escalation }, next: 'rest' }))
  await schedule(tx, deps)
  await restIfPaused(tx, deps, request.run)
}

/**
 * Opens the same request once more in a new lane, so that the mistakes of the model are not in its
 * context.
 */
export async function askAnew(
  tx: Transaction,
  { request, lane, text }: Acts['ask_anew'],
  { clock }: Pick<WorkflowDependencies, 'clock'>,
): Promise<void> {
  await endLane(tx, clock, lane.id)
  const next = await openAnew(tx, lane, { key: `${lane.data.key}.2`, text })
  await tx.edit(request, { lane: next.id, isAnew: true })
}

function firstText([first]: readonly Message[]): string {
  return first?.role === 'user' ? first.text : ''
}

/** Removes the evidence about hidden tests, since the story's editor reads the thread. */
export function withoutSecrets({ data: { role } }: Lane, question: Question): Question {
  return isSecret(role) ? { ...question, evidence: '' } : question
}

interface Fault {
  readonly run: Run
  readonly lane: Lane
  readonly model: string
  readonly request: StoppedLane['request']
}

function faultQuestion({ run, lane, model, request: { stop, last } }: Fault): Question {
  const tries = stop === 'refused' ? `: it ${why.refused}` : ` in ${limits.identicalCallsStop} tries in a row`
  return {
    question: `The model ${model} of the architect (${nameOf(lane)}) did not make one usable call${tries}. Name another with \`drydock resume ${run.id} --architect-model <id>\`, then reply here; or reply to let this one try again. Your reply is its guidance.`,
    tried: lane.data.parent === run.id ? 'one conversation' : 'two conversations; the second knew nothing of the first',
    evidence: last ?? '',
  }
}

export function nameOf({ data: { key } }: Lane): string {
  return key.replace(/^architect\//, '')
}

export async function escalateRun(tx: Transaction, id: string, question: Question): Promise<void> {
  const run = await load(tx, 'run', id)
  const escalation = await askHuman(tx, run, { agent: 'architect', ...question })
  await moveRun(tx, run, { event: 'escalated', data: { escalation }, next: 'rest' })
}

const why: Readonly<Record<StoppedLane['request']['stop'], string>> = {
  iteration_limit: 'has reached its iteration limit without an answer',
  malformed: 'made no usable call',
  refused: 'handed in three times what was refused for the same reason',
  words_only: 'talked and called no tool',
  identical_calls: 'made the same call with the same result five times in a row',
  no_progress: 'continued without progress',
  alternating: 'made the same few calls again and again',
  context_overflow: 'has a conversation that no longer fits the model',
  turn_time: 'took too long for one turn',
  tool_calls: 'called its tools too often in one turn',
  no_call: 'ended its turns without an answer',
}

function stopQuestion(lane: Lane, { stop, last }: StoppedLane['request'], messages: readonly Message[]): Question {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
  return {
    question: `The architect (${nameOf(lane)}) ${why[stop]}. How should it continue? Your reply is its guidance.`,
    tried: `${lane.data.iterations} turns, ${calls.length} calls`,
    evidence: [
      ...calls.slice(-5).map(({ tool, input }) => `- ${tool} ${JSON.stringify(input).slice(0, 200)}`),
      ...wordsOfLane({ last, words: lastWordsOf(messages) }),
    ].join('\n'),
  }
}
