import type { AgentRole } from '../../domain/lane/lane.ts'
import { softAndHard } from '../../domain/lane/next-request.ts'
import type { Request, RequestData, RequestKind } from '../../domain/request/request.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import type { Transaction } from '../../ports/store.ts'
import { sayStopped } from '../chat/say-stopped.ts'
import { laneId, openLane } from '../lane/open-lane.ts'
import { type RequestPrompt, requestMessage } from './prompts/request-message.ts'

/** A question or review of an editor, or of the workflow on its behalf, for the architect. */
export interface NewRequest {
  readonly kind: RequestKind
  /** The commit that the request is about. */
  readonly sha: string
  /** The slot whose workspace holds the commit. */
  readonly coder: string
  readonly prompt: RequestPrompt
  /** Set for a budget review: the reason why the editor was stopped. */
  readonly cause?: string
}

/** Opens a request: a machine, and a lane of its own that knows only its prompt. */
export async function openRequest(
  tx: Transaction,
  { run, story, request }: { readonly run: Run; readonly story: Story; readonly request: NewRequest },
): Promise<Story> {
  const { kind, sha, coder, prompt, cause } = request
  const { config } = run.data
  if (config === null) throw new Error(`run ${run.id} has not started`)
  const round = (story.data.requests[kind] ?? 0) + 1
  const key = `architect/REQUEST/${kind}/${story.data.name}/${round}`
  const id = `${run.id}/request/${kind}/${story.data.name}/${round}`
  const data: RequestData = {
    kind,
    name: story.data.name,
    round,
    sha,
    coder,
    lane: laneId(run.id, key),
    escalation: null,
    verdict: null,
    response: null,
    ...(cause !== undefined && { cause }),
  }
  const { story: name } = story
  const opened = await tx.create({ id, kind: 'request', run: run.id, story: name, data }, 'rest')
  await openLane(tx, {
    run: run.id,
    story: name,
    key,
    parent: id,
    limits: softAndHard(config.request),
    prompt: (speak) => requestMessage(prompt, speak),
    role: roles[kind],
  })
  await appendRequest(tx, opened)
  if (cause !== undefined) await sayStopped(tx, story, cause)
  const requests = { ...story.data.requests, [kind]: round }
  return tx.edit(story, { requests, request: id })
}

const roles: Readonly<Record<RequestKind, AgentRole>> = {
  question: 'architect_question',
  plan: 'architect_review',
  code: 'architect_review',
  completion: 'architect_review',
  budget: 'architect_budget',
  acceptance: 'architect_judge',
}

export async function appendRequest(tx: Transaction, { run, story, state, data }: Request): Promise<void> {
  const { kind, round, verdict } = data
  await tx.appendEvent({ run, story, type: 'request', data: { kind, round, state, ...(verdict && { verdict }) } })
}
