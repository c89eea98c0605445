import { checkText } from '../../app/operations/act/post.ts'
import { actsOf } from '../../app/operations/acts-of.ts'
import { type View, viewsOf } from '../../app/operations/views-of.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { sayHandedOver } from '../screen/say-handed-over.ts'
import { threadLines } from '../screen/thread.ts'

type Thread = View<'thread'>

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
  const thread = await (await viewsOf(drydock)).thread({ id, story: options.story })
  if (options.post === undefined) {
    show(context, thread)
    return 0
  }
  const { run, story } = thread
  const text = checkText(options.post)
  const acts = await actsOf(drydock, { options })
  const { handed } = await acts.post({ run, story, text })
  context.output.emit({ type: 'post', run, story })
  sayHandedOver(context, handed)
  return 0
}

function show({ output }: Context, { run, story, messages }: Thread): void {
  for (const { findings: _, ...message } of messages) output.emit({ type: 'message', ...message })
  if (output.json) return
  if (messages.length === 0) output.say(`There are no messages yet in ${story === null ? run : `${run}/${story}`}.`)
  else output.say(threadLines(output.screen, messages, known(messages)))
}

function known(messages: Thread['messages']): Parameters<typeof threadLines>[2] {
  const unused = messages.flatMap(({ id, unused }) => (unused === null ? [] : [[id, unused] as const]))
  return {
    waiting: new Map(
      messages.filter(({ open }) => open).map((each) => [each.id, { ...each, assignedTo: each.assigned_to }]),
    ),
    unused: new Map(unused),
  }
}
