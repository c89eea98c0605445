import { checkText } from '../../app/operations/act/post.ts'
import { actsOf } from '../../app/operations/acts-of.ts'
import { readThread, type Thread } from '../../app/views/thread.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { sayHandedOver } from '../screen/say-handed-over.ts'
import { threadLines } from '../screen/thread.ts'

interface ChatOptions {
  readonly story?: string
  readonly post?: string
}

/** Shows the messages of a Run, or sends a message to it or to one of its stories. */
export async function chat(
  context: Context,
  [id]: readonly string[],
  options: CommonOptions & ChatOptions,
): Promise<number> {
  const drydock = await open(context, options)
  const thread = await readThread(drydock, id, options.story)
  if (options.post === undefined) {
    show(context, thread)
    return 0
  }
  const { run } = thread
  const text = checkText(options.post)
  const story = thread.story?.story ?? null
  const acts = await actsOf(drydock, { options })
  const { handed } = await acts.post({ run: run.id, story, text })
  context.output.emit({ type: 'post', run: run.id, story })
  sayHandedOver(context, handed)
  return 0
}

function show({ output }: Context, { run, story, messages, ...known }: Thread): void {
  for (const message of messages) {
    const { id } = message
    const asked = known.waiting.get(id)
    const more = { open: asked !== undefined, assigned_to: asked?.assignedTo ?? null }
    output.emit({ type: 'message', ...message, ...more, unused: known.unused.get(id) ?? null })
  }
  if (output.json) return
  if (messages.length === 0) output.say(`There are no messages yet in ${story?.id ?? run.id}.`)
  else output.say(threadLines(output.screen, messages, known))
}
