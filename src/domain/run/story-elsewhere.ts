import type { Story } from '../story/story.ts'
import { repositoriesOf, repositoryOf } from './repositories.ts'
import type { Run } from './run.ts'

/**
 * Why nothing more is built on a story of a Run that has ended: it belongs to another repository
 * than the Run. Null for a story of its own.
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
