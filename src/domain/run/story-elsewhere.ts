import type { Story } from '../story/story.ts'
import { repositoriesOf, repositoryOf } from './repositories.ts'
import type { Run } from './run.ts'

/**
 * The reason why nothing more can be built on a story of an ended Run: the story belongs to another
 * repository than the Run. Null for a story in the Run's own.
 */
export function storyElsewhere(
  run: Pick<Run, 'id' | 'data'>,
  story: Pick<Story, 'story' | 'data'>,
): { readonly message: string; readonly todo: string } | null {
  const repository = repositoryOf(story)
  const found = repositoriesOf(run).find(({ name }) => name === repository)
  if (repository === undefined || found === undefined) return null
  const place = found.url === undefined ? found.path : `a clone of ${found.url}`
  return {
    message: `The story ${story.story} belongs to the repository ${repository}, and ${run.id} has ended.`,
    todo: `Start a task in ${place}: drydock task "…"${run.data.branch === null ? '' : ` --target ${run.data.branch}`}`,
  }
}
