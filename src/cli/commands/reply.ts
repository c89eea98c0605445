import { checkText } from '../../app/operations/act/post.ts'
import { actsOf } from '../../app/operations/acts-of.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { sayHandedOver } from '../screen/say-handed-over.ts'

/** Says whom of a hub a question is for; without a person, everybody. */
export async function assign(
  context: Context,
  [id = '', person]: readonly string[],
  options: CommonOptions,
): Promise<number> {
  const message = messageId(id)
  const to = person ?? null
  const acts = await actsOf(await open(context, options), { options })
  const { run, handed } = await acts.assign({ id: message, to })
  context.output.emit({ type: 'assign', message, run, to })
  sayHandedOver(context, handed)
  return 0
}

/** The id of a message, with or without the mark that the chat shows. */
function messageId(given: string): string {
  return given.replace(/^#/, '')
}

/** Answers a question of a Run. Only stores the answer, so that no process needs to be running. */
export async function reply(
  context: Context,
  [id = '', ...words]: readonly string[],
  options: CommonOptions,
): Promise<number> {
  const text = checkText(words.join(' '))
  const message = messageId(id)
  const acts = await actsOf(await open(context, options), { options })
  const { run, handed } = await acts.reply({ id: message, text })
  context.output.emit({ type: 'reply', message, run })
  sayHandedOver(context, handed)
  return 0
}
