import type { StateReader } from '../compose.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import type { Run } from '../domain/run/run.ts'
import type { Story } from '../domain/story/story.ts'

export interface FoundStory {
  readonly run: Run
  readonly story: Story
}

interface Wanted {
  /** A story, `<run>/<story>`, or the Run of a task. */
  readonly id: string
  readonly inRun: string | undefined
  /** The repository that is looked at, for people. */
  readonly repository: string
}

/**
 * The story that is meant: of the Run that is named, else of the newest that has one of that name.
 * DrydockError `not_found`.
 */
export async function findStory(records: StateReader | null, wanted: Wanted): Promise<FoundStory> {
  const runs = ((await records?.machines({ kind: 'run' })) ?? []) as readonly Run[]
  if (records === null || runs.length === 0) {
    throw new DrydockError('not_found', `There is no run of ${wanted.repository} yet, so nothing was kept.`, {
      todo: 'Name the repository that the story was built in, where it was then: --repo DIR',
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

async function storyIn(records: StateReader, run: Run, name: string): Promise<Story | null> {
  const machine = await records.machine(`${run.id}/${name}`)
  return machine?.kind === 'story' ? (machine as Story) : null
}

async function storyIds(records: StateReader, runs: readonly Run[]): Promise<readonly string[]> {
  const stories = await Promise.all(runs.map(({ id }) => records.machines({ kind: 'story', run: id })))
  return stories.flat().map(({ id }) => id)
}

const shown = 20

function noStory(message: string, ids: readonly string[]): DrydockError {
  const more = ids.length > shown ? ` and ${ids.length - shown} more` : ''
  return new DrydockError('not_found', message, {
    todo: ids.length === 0 ? 'No story has begun there.' : `There are: ${ids.slice(-shown).join(', ')}${more}`,
  })
}

function noRun(id: string, runs: readonly Run[]): DrydockError {
  const known = runs.slice(-5).map((run) => run.id)
  return new DrydockError('not_found', `There is no run "${id}".`, { todo: `The last ones are: ${known.join(', ')}` })
}
