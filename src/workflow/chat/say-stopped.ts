import { limits } from '../../domain/limits.ts'
import { sentence } from '../../domain/sentence.ts'
import type { Story } from '../../domain/story/story.ts'
import { capText } from '../../domain/text.ts'
import type { Transaction } from '../../ports/store.ts'

/** Tells the readers of the story's thread why its editor was stopped, and who reviews it now. */
export async function sayStopped(
  tx: Transaction,
  { run, story }: Pick<Story, 'run' | 'story'>,
  cause: string,
): Promise<void> {
  const content = sentence`The editor was stopped: ${cause}. The architect looks at the figures.`
  const agent_id = 'editor'
  const said = { agent_id, content: capText(content, limits.chatChars - limits.cutNotice) }
  const { id } = await tx.postMessage({ ...said, reply_to: null, post_type: 'chat', run, story })
  await tx.appendEvent({ run, story, type: 'chat', data: { id, agent_id } })
}
