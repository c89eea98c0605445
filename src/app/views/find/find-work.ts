import { DrydockError } from '../../../domain/drydock-error.ts'
import { isEnded, type Run } from '../../../domain/run/run.ts'
import { namesStories } from '../../../domain/run/run-policy.ts'
import { nameOf, onlyStory } from '../../../domain/story/name-of.ts'
import type { Story } from '../../../domain/story/story.ts'
import type { Records } from '../../../ports/store.ts'
import { reading } from '../../reading.ts'
import type { RecordSource } from '../../state-access.ts'

/** A Run, or one story of it. */
export interface Work {
  readonly run: Run
  /** The only story of a task, once it exists; the named story of a crew. */
  readonly story: Story | null
}

/**
 * The work that an id names: a Run, `<run>/<story>`, or a story of the latest crew's Run. Without
 * an id, the work that `latestOf` selects. Throws DrydockError `not_found`.
 */
export async function findWork(
  records: Records,
  id: string | undefined,
  isMeant: (run: Run) => boolean = isBuilt,
): Promise<Work> {
  const runs = await records.machines({ kind: 'run' })
  const [name, story] = id === undefined ? [] : split(id)
  const run = name === undefined ? latestOf(runs, isMeant) : runs.find((each) => each.id === name)
  if (run) return { run, story: await storyOf(records, run, story) }
  const latest = runs.findLast(({ data }) => data.request.kind === 'spec')
  const named = latest && story === undefined ? await storyNamed(records, latest, name) : null
  if (latest && named) return { run: latest, story: named }
  throw notFound(id, runs)
}

/** Opens the records for one `findWork`. */
export function lookUp(drydock: RecordSource, id: string | undefined, isMeant?: (run: Run) => boolean): Promise<Work> {
  return reading(drydock, (records) => findWork(records, id, isMeant))
}

/**
 * The Run that an id names, or the Run of the story that it names. Throws DrydockError `not_found`.
 */
export async function findRun(...given: Parameters<typeof findWork>): Promise<Run> {
  return (await findWork(...given)).run
}

/**
 * The latest Run for which `isMeant` is true, otherwise the latest of all. In both cases a Run that
 * builds is preferred.
 */
export function latestOf(runs: readonly Run[], isMeant: (run: Run) => boolean = isBuilt): Run | undefined {
  const built = runs.filter(isBuilt)
  return built.findLast(isMeant) ?? runs.findLast(isMeant) ?? built.at(-1) ?? runs.at(-1)
}

function split(id: string): readonly [run: string, story?: string] {
  const slash = id.indexOf('/')
  return slash < 0 ? [id] : [id.slice(0, slash), id.slice(slash + 1)]
}

async function storyOf(records: Records, run: Run, name: string | undefined): Promise<Story | null> {
  if (name === undefined) return onlyStoryOf(records, run)
  const story = await storyNamed(records, run, name)
  if (story) return story
  const ids = run.data.stories?.map((each) => each.id) ?? []
  const todo = namesStories(run) ? 'It has no stories yet.' : `Only a spec has stories. See: drydock status ${run.id}`
  throw new DrydockError('not_found', `${run.id} has no story "${name}".`, {
    todo: ids.length > 0 ? `Its stories are: ${ids.join(', ')}` : todo,
  })
}

/** The unnamed story of a task; null if there is none. */
export function onlyStoryOf(records: Records, run: Pick<Run, 'id'>): Promise<Story | null> {
  return records.machineOf('story', `${run.id}/${onlyStory}`)
}

async function storyNamed(records: Records, run: Run, name: string | undefined): Promise<Story | null> {
  return name === undefined ? null : records.machineOf('story', `${run.id}/${name}`)
}

function notFound(id: string | undefined, runs: readonly Run[]): DrydockError {
  const known = runs.slice(-5).map((run) => run.id)
  return new DrydockError('not_found', id === undefined ? 'There is no run yet.' : `There is no run "${id}".`, {
    todo: known.length > 0 ? `The last ones are: ${known.join(', ')}` : 'Start one: drydock task "…"',
  })
}

/** The story if it has a name of its own; null for a task's story, which people name by its Run. */
export function namedStory({ story }: Pick<Work, 'story'>): Story | null {
  return story !== null && nameOf(story) !== null ? story : null
}

/** True if the Run changes the repository, and so has a diff and a report. */
export const isBuilt = ({ data: { request } }: Run): boolean => request.kind !== 'verify' && request.kind !== 'scout'
export const isUnfinished = (run: Run): boolean => !isEnded(run.state)
