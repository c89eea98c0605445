import { randomUUID } from 'node:crypto'
import type { Drydock, StateReader } from '../compose.ts'
import type { ChatMessage } from '../domain/chat.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import { isEnded, type Run } from '../domain/run/run.ts'
import { checkText } from './chat.ts'
import type { CommonOptions, Context } from './context.ts'
import { type HandedOver, handOver } from './hand-over.ts'
import { open } from './open.ts'
import { openEscalations } from './open-escalations.ts'
import { reading } from './reading.ts'
import { sayHandedOver } from './say-handed-over.ts'
import { usage } from './usage.ts'

/** Answers what a Run asks; only records it, so that it can be done while nothing runs. */
export async function reply(
  context: Context,
  [id = '', ...words]: readonly string[],
  options: CommonOptions,
): Promise<number> {
  const text = checkText(words.join(' '))
  const { run, message, handed } = await giveAnswer(await open(context, options), id.replace(/^#/, ''), text)
  context.output.emit({ type: 'reply', message, run })
  sayHandedOver(context, handed)
  return 0
}

/**
 * Records an answer to a message. DrydockError `bad_usage` when there is nothing to answer,
 * `already_done` when somebody has.
 */
export async function giveAnswer(
  drydock: Drydock,
  id: string,
  given: string,
): Promise<{ readonly run: string; readonly message: string; readonly handed: HandedOver }> {
  const text = checkText(given)
  const { run, id: message } = await reading(drydock, (records) => findQuestion(records, id))
  const handed = await handOver(drydock, `reply/${randomUUID()}`, { kind: 'reply', run, message, text })
  return { run, message, handed }
}

/**
 * The message that is answered. DrydockError `bad_usage` when there is nothing to answer,
 * `already_done` when somebody has.
 */
async function findQuestion(records: StateReader | null, id: string): Promise<ChatMessage> {
  const message = (await records?.chatMessage(id)) ?? null
  if (!records || message === null) throw usage(`There is no message ${id}.`, 'See them: drydock chat')
  if (message.agent_id === 'human') throw usage(`Message ${id} is no question: a human wrote it.`, 'See: drydock chat')
  const run = (await records.machine(message.run)) as Run
  if (isEnded(run.state)) {
    throw new DrydockError('already_done', `${run.id} has ended: nobody waits for an answer.`, {
      todo: 'See: drydock report',
    })
  }
  if (message.post_type !== 'escalate') return message
  const open = await openEscalations(records, run)
  if (!open.some(({ message: { id: waiting } }) => waiting === id)) throw answered(id)
  const pending = await records.pendingCommands()
  if (pending.some(({ command }) => command.kind === 'reply' && command.message === id)) throw answered(id)
  return message
}

function answered(id: string): DrydockError {
  return new DrydockError('already_done', `Message ${id} is answered already. What you said now was not taken.`, {
    todo: 'See what was said, and say more: drydock chat --post "…"',
  })
}
