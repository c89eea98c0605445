import { actRoutes } from '../../../api/act-routes.ts'
import type { ChatMessage } from '../../../domain/chat.ts'
import type { Command } from '../../../domain/command.ts'
import type { DrydockError } from '../../../domain/drydock-error.ts'
import { missingOption } from '../../../domain/run/interview.ts'
import { isEnded, type Run } from '../../../domain/run/run.ts'
import type { Records } from '../../../ports/store.ts'
import { load } from '../../../workflow/machines.ts'
import { reading } from '../../reading.ts'
import type { RecordSource } from '../../state-access.ts'
import { usage } from '../../usage.ts'
import { openEscalations, readAnswered } from '../../views/open-escalations.ts'
import { command, type StoredCommand } from '../operation.ts'
import { done } from '../refusals.ts'
import { checkText } from './post.ts'

export const reply = command(actRoutes.reply, {
  async run({ drydock, give }, { id, text: given }) {
    const text = checkText(given)
    const { run, id: message } = await reading(drydock, (records) => findQuestion(records, id, text))
    const answer = { kind: 'reply', run, message, text } as const
    const told = await give(answer)
    await checkUsed(drydock, answer, { key: told.command, handed: told.handed })
    return told
  },
  async again({ drydock }, answer, stored) {
    if (answer.kind === 'reply') await checkUsed(drydock, answer, stored)
    return {}
  },
})

/**
 * The first of several stored replies to a question is its answer. DrydockError `already_done` for
 * any other: its author must hear so.
 */
async function checkUsed(
  drydock: RecordSource,
  { run, message }: Extract<Command, { kind: 'reply' }>,
  { key, handed }: StoredCommand,
): Promise<void> {
  await reading(drydock, async (records) => {
    if ((await records.chatMessage(message))?.post_type !== 'escalate') return
    const first = (await records.pendingCommands()).find(
      ({ command }) => command.kind === 'reply' && command.message === message,
    )
    const events = await records.recentEvents({ run, types: ['escalation_answered'], limit: 1_000 })
    const answer = events.find(({ data }) => data.id === message)?.data
    // One that an older Drydock applied has no key.
    const winner = answer === undefined ? first?.key : answer.reply
    if (answer === undefined && handed === 'applied') throw over(await load(records, 'run', run))
    if (winner !== undefined && winner !== key) throw answered(message)
  })
}

/**
 * The message that is answered. DrydockError `bad_usage` when there is nothing to answer, or no
 * option of the number that answers it; `already_done` when somebody has answered.
 */
async function findQuestion(records: Records, id: string, text: string): Promise<ChatMessage> {
  const message = await records.chatMessage(id)
  if (message === null) throw usage(`There is no message ${id}.`, 'List the messages: drydock chat')
  if (message.agent_id === 'human')
    throw usage(`Message ${id} is not a question: a human wrote it.`, 'See: drydock chat')
  const isAnswered = (await readAnswered(records)).has(id)
  const run = await load(records, 'run', message.run)
  if (isEnded(run.state)) throw over(run)
  if (message.post_type !== 'escalate') return message
  const open = await openEscalations(records, run)
  const asked = open.find(({ message: { id: waiting } }) => waiting === id)
  if (asked === undefined || isAnswered) throw answered(id)
  const missing = asked.choice && missingOption(asked.choice, text)
  if (asked.choice && missing !== null)
    throw usage(`There is no option ${missing}.`, `Name 1 to ${asked.choice.options.length}, or answer in words.`)
  return message
}

function over({ id }: Run): DrydockError {
  return done(`${id} has ended. Nobody waits for an answer.`, 'See: drydock report')
}

function answered(id: string): DrydockError {
  return done(
    `Message ${id} already has an answer. Your answer was not used.`,
    'Read the thread with drydock chat, or write to it: drydock chat --post "…"',
  )
}
