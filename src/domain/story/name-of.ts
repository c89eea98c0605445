import type { Story } from './story.ts'

/** The name of a task's only story; a planned story has another. */
export const onlyStory = 'task'

/** The name of a story within its Run; null for an only story, which people name by its Run. */
export function nameOf({ story }: Pick<Story, 'story'>): string | null {
  return story === onlyStory ? null : story
}
