import type { ChatMessage } from '../../domain/chat.ts'
import type { Command } from '../../domain/command.ts'
import { limits } from '../../domain/limits.ts'
import { wordsOf } from '../../domain/run/interview.ts'
import { isEnded, type Run } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import { capText } from '../../domain/text.ts'
import type { Transaction } from '../../ports/store.ts'
import { answerQuestion } from '../architect/interview/ask-user.ts'
import { appendRequest } from '../architect/open-request.ts'
import { continueLane } from '../lane/continue-lane.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { load } from '../machines.ts'
import { settleHeld } from '../rest/hold-run.ts'
import { errorRest, parkSteps } from '../rest/park-run.ts'
import { restIfPaused } from '../rest/pause-lane.ts'
import { guideRun } from '../run/guide-run.ts'
import { moveRun } from '../run/move-run.ts'
import { guideStory } from '../story/guide-story.ts'

/**
 * Posts a human's message to a Run or to one of its stories; the editor gets it with its next
 * request.
 */
export async function applyPost(tx: Transaction, command: Extract<Command, { kind: 'post' }>): Promise<void> {
  await load(tx, 'run', command.run)
  await post(tx, { ...command, reply_to: null })
}

/**
 * Stores a human's reply in the thread. If its message is a question that is still open, the asker
 * continues with this reply as the answer. The event says which of several replies was the answer.
 */
export async function applyReply(
  tx: Transaction,
  deps: DecisionDependencies,
  { run: id, message: asked, text: given, key }: Extract<Command, { kind: 'reply' }> & { readonly key: string },
): Promise<void> {
  const message = await tx.chatMessage(asked)
  if (message === null || message.run !== id) throw new Error(`run ${id} has no message ${asked}`)
  const { interview } = (await load(tx, 'run', id)).data
  const text = wordsOf(interview, asked, given)
  const said = await post(tx, { run: id, story: message.story, text, reply_to: asked })
  await goOn(tx, deps, id, async (run) => {
    if (await answer(tx, deps, { run, message, text }))
      await appendAnswer(tx, message, { answer: text, reply: key, message: said })
  })
}

/**
 * Applies a human's decision in a Run that has not ended. Work that is short of money or that a
 * human has paused still waits.
 */
export async function goOn(
  tx: Transaction,
  deps: DecisionDependencies,
  id: string,
  decide: (run: Run) => Promise<void>,
): Promise<void> {
  const stored = await load(tx, 'run', id)
  const run = stored.state === 'PAUSED' ? await moveRun(tx, stored, { event: 'unpaused', next: 'rest' }) : stored
  if (isEnded(run.state)) return
  await decide(run)
  await restIfPaused(tx, deps, id)
  await settleHeld(tx, deps, id)
  // In a Run that has stopped, the resumed work waits with the rest of the Run.
  if (run.state !== 'ERROR') return
  const stopped = await load(tx, 'run', id)
  await parkSteps(tx, stopped, stopped.data.rest ?? errorRest(deps.clock, []))
}

/**
 * Closes a question that was answered by something other than a reply, and says so in the thread.
 */
export async function answerOtherwise(
  tx: Transaction,
  {
    run,
    story,
    data: { escalation },
  }: Pick<Story, 'run' | 'story'> & { readonly data: Pick<Story['data'], 'escalation'> },
  text: string,
): Promise<void> {
  if (escalation === null) return
  const message = await post(tx, { run, story, text, reply_to: escalation })
  await appendAnswer(tx, { id: escalation, run, story }, { answer: text, reply: null, message })
}

async function appendAnswer(
  tx: Transaction,
  { id, run, story }: Pick<ChatMessage, 'id' | 'run' | 'story'>,
  { answer, ...by }: { readonly answer: string; readonly reply: string | null; readonly message: string },
): Promise<void> {
  const data = { id, answer: capText(answer, limits.chatChars - limits.cutNotice), ...by }
  await tx.appendEvent({ run, story, type: 'escalation_answered', data })
}

interface Answer {
  readonly run: Run
  readonly message: ChatMessage
  readonly text: string
}

/** Answers the asker of a message; returns false if the asker no longer waited for it. */
export async function answer(
  tx: Transaction,
  deps: DecisionDependencies,
  { run, message, text }: Answer,
): Promise<boolean> {
  const { id: asked, asker } = message
  if (asker === undefined) return false
  switch (asker.kind) {
    case 'run':
      if (run.data.escalation !== asked) return answerQuestion(tx, deps, run, { message: asked, text })
      await guideRun(tx, deps, run, text)
      return true
    case 'story': {
      const story = await load(tx, 'story', asker.machine)
      if (story.data.escalation !== asked) return false
      await guideStory(tx, deps, story, text)
      return true
    }
    case 'request': {
      const request = await load(tx, 'request', asker.machine)
      if (request.state !== 'ESCALATED' || request.data.escalation !== asked) return false
      await appendRequest(tx, await tx.move(request, 'guided', { data: { escalation: null }, next: 'rest' }))
      await continueLane(tx, await load(tx, 'lane', request.data.lane), { output: '', guidance: text })
      return true
    }
    default:
      throw new Error(`unknown asker ${asker.kind satisfies never}`)
  }
}

interface Post {
  readonly run: string
  readonly story: string | null
  readonly text: string
  readonly reply_to: string | null
}

/** Returns the id of the message. */
async function post(tx: Transaction, { run, story, text, reply_to }: Post): Promise<string> {
  const content = capText(text, limits.chatChars - limits.cutNotice)
  const { id } = await tx.postMessage({
    agent_id: 'human',
    content,
    reply_to,
    run,
    story,
    post_type: reply_to === null ? 'chat' : 'reply',
  })
  await tx.appendEvent({
    run,
    story,
    type: 'chat',
    data: { id, agent_id: 'human', ...(reply_to !== null && { reply_to }) },
  })
  return id
}
