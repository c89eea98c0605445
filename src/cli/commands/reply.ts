import { checkText } from '../../app/commands/post.ts'
import { giveAnswer } from '../../app/commands/reply.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { sayHandedOver } from '../screen/say-handed-over.ts'

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
