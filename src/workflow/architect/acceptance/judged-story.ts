import { besideStory } from '../../../domain/run/repositories.ts'
import type { Run } from '../../../domain/run/run.ts'
import type { Story } from '../../../domain/story/story.ts'
import { brief } from '../../editor/prompts/story-brief.ts'

/** The story as the lanes that judge its tests see it. */
export function storyBrief(run: Run, story: Story): string {
  const { steps = [], prepare = [], services = [] } = run.data.config ?? {}
  return brief(story.data.task, { guide: null, steps, prepare, services, beside: besideStory(run, story) })
}
