import { z } from 'zod'
import { limits } from '../../domain/limits.ts'
import { storyIdPattern, storyIdRule } from '../../domain/story/planned-story.ts'
import { defineAnsweredLater } from './tool.ts'

const list = z.array(z.string().max(2_000)).max(50)

const story = () =>
  z.strictObject({
    id: z.string().regex(storyIdPattern, storyIdRule),
    title: z.string().min(1).max(200),
    content: z.string().min(1).max(20_000).describe('everything its editor needs; the editor knows no other story'),
    acceptance_criteria: list.describe('each one checkable; at least one'),
    depends_on: list.default([]).describe('ids of the stories whose code it needs'),
    files_hint: list.default([]).describe('files it will probably change'),
  })

/** A story of a Run over several repositories. */
const storyInRepository = () =>
  story().extend({
    repository: z.string().max(100).exactOptional().describe('name of the repository that it belongs to'),
  })

/** The shape of stories. `problemsOf` checks that the set can be built. */
export const storiesInput = () => z.strictObject({ stories: z.array(story()).max(limits.stories) })

export const submitStories = defineAnsweredLater({
  kind: 'terminal',
  name: 'submit_stories',
  purpose: 'Hand in all stories and end. The last call of its turn.',
  input: storiesInput,
  roles: ['architect_stories'],
})

export const submitStoriesOfSeveral = defineAnsweredLater({
  ...submitStories,
  input: () => z.strictObject({ stories: z.array(storyInRepository()).max(limits.stories) }),
})
