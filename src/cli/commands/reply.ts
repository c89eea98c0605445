import { checkText } from '../../app/operations/act/post.ts'
import { actsOf } from '../../app/operations/acts-of.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { sayHandedOver } from '../screen/say-handed-over.ts'

/** Answers a question of a Run. Only stores the answer, so that no process needs to be running. */
export async function reply(
  context: Context,
  [id = '', ...words]: readonly string[],
  options: CommonOptions,
): Promise<number> {
  const text = checkText(words.join(' '))
  const message = id.replace(/^#/, '')
  const acts = await actsOf(await open(context, options), { options })
  const { run, handed } = await acts.reply({ id: message, text })
  context.output.emit({ type: 'reply', message, run })
  sayHandedOver(context, handed)
  return 0
}
