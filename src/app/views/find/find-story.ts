import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Run } from '../../../domain/run/run.ts'
import type { Story } from '../../../domain/story/story.ts'
import type { Records } from '../../../ports/store.ts'

export interface FoundStory {
  readonly run: Run
  readonly story: Story
}

export interface StoryQuery {
  /** A story, as `<run>/<story>` or by its name, or the Run of a task. */
  readonly id: string
  readonly inRun: string | undefined
  /** The repository that was searched, for the error message. */
  readonly repository: string
}

/**
 * The wanted story, of the named Run or else of the newest Run with such a story. Throws
 * DrydockError `not_found`.
 */
export async function findStory(records: Records, wanted: StoryQuery): Promise<FoundStory> {
  const runs = await records.machines({ kind: 'run' })
  if (runs.length === 0) {
    throw new DrydockError('not_found', `${wanted.repository} has no runs yet, so there is nothing to restore.`, {
      todo: 'Name the repository of the story by the path it had then: --repo DIR',
    })
  }
  const slash = wanted.id.indexOf('/')
  const name = slash < 0 ? wanted.id : wanted.id.slice(slash + 1)
  const within = wanted.inRun ?? (slash < 0 ? undefined : wanted.id.slice(0, slash))
  if (within !== undefined) {
    const run = runs.find(({ id }) => id === within)
    if (run === undefined) throw noRun(within, runs)
    const story = await storyIn(records, run, name)
    if (story) return { run, story }
    throw noStory(`${run.id} has no story "${name}".`, await storyIds(records, [run]))
  }
  for (const run of runs.toReversed()) {
    const story = await storyIn(records, run, run.id === name ? 'task' : name)
    if (story) return { run, story }
  }
  throw noStory(`There is no story "${name}".`, await storyIds(records, runs.slice(-5)))
}

function storyIn(records: Records, run: Run, name: string): Promise<Story | null> {
  return records.machineOf('story', `${run.id}/${name}`)
}

async function storyIds(records: Records, runs: readonly Run[]): Promise<readonly string[]> {
  const stories = await Promise.all(runs.map(({ id }) => records.machines({ kind: 'story', run: id })))
  return stories.flat().map(({ id }) => id)
}

const shown = 20

function noStory(message: string, ids: readonly string[]): DrydockError {
  const more = ids.length > shown ? ` and ${ids.length - shown} more` : ''
  return new DrydockError('not_found', message, {
    todo: ids.length === 0 ? 'No story has started there.' : `There are: ${ids.slice(-shown).join(', ')}${more}`,
  })
}

function noRun(id: string, runs: readonly Run[]): DrydockError {
  const known = runs.slice(-5).map((run) => run.id)
  return new DrydockError('not_found', `There is no run "${id}".`, { todo: `The last ones are: ${known.join(', ')}` })
}
