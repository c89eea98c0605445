import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import { storyIdPattern, storyIdRule } from '../../domain/story/planned-story.ts'
import { defineTool } from './tool.ts'

const list = z.array(z.string().max(2_000)).max(50)

const story = z.strictObject({
  id: z.string().regex(storyIdPattern, storyIdRule),
  title: z.string().min(1).max(200),
  content: z.string().min(1).max(20_000).describe('all that its editor is told, who knows no other story'),
  acceptance_criteria: list.describe('each one checkable; at least one'),
  depends_on: list.default([]).describe('ids of the stories whose code it needs'),
  files_hint: list.default([]).describe('files that it will probably change'),
})

/** The shape; whether the set can be built is `problemsOf`'s to say. */
export const storiesInput = z.strictObject({ stories: z.array(story).max(limits.stories) })

export const submitStories = defineTool({
  kind: 'terminal',
  name: 'submit_stories',
  purpose: 'Hand in all stories and end. The only call of its turn.',
  input: storiesInput,
  roles: ['architect_stories'],
})
