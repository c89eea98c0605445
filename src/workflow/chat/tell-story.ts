import type { Story } from '../../domain/story/story.ts'
import type { Transaction } from '../../ports/store.ts'

/** Drydock says something in the thread of a story, which its editor hears. Returns its id. */
export async function tellStory(
  tx: Transaction,
  { run, story }: Pick<Story, 'run' | 'story'>,
  content: string,
): Promise<string> {
  const { id } = await tx.postMessage({ agent_id: 'drydock', content, reply_to: null, post_type: 'chat', run, story })
  await tx.appendEvent({ run, story, type: 'chat', data: { id, agent_id: 'drydock' } })
  return id
}
