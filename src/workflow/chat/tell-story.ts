import type { Story } from '../../domain/story/story.ts'
import type { Transaction } from '../../ports/store.ts'

/** Posts a message of Drydock to a story's thread, where its editor reads it. Returns the id. */
export async function tellStory(
  tx: Transaction,
  { run, story }: Pick<Story, 'run' | 'story'>,
  content: string,
): Promise<string> {
  const { id } = await tx.postMessage({ agent_id: 'drydock', content, reply_to: null, post_type: 'chat', run, story })
  await tx.appendEvent({ run, story, type: 'chat', data: { id, agent_id: 'drydock' } })
  return id
}
