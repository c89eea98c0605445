import type { PlannedStory } from '../story/planned-story.ts'
import type { Landing, NamedRepository, RepositoryResult } from './repository.ts'
import type { Run, RunData } from './run.ts'

/** Every repository of a Run that was asked for with several, its own first; else none. */
export function repositoriesOf({ data: { request } }: Pick<Run, 'data'>): readonly NamedRepository[] {
  return request.kind === 'spec' ? (request.repositories ?? []) : []
}

/** The further repository that a story belongs to; undefined for the Run's own. */
export function repositoryOf(story: {
  readonly data: { readonly planned: Pick<PlannedStory, 'repository'> | null }
}): string | undefined {
  return story.data.planned?.repository
}

/** The names of all other repositories of the Run. */
export function besideStory(run: Pick<Run, 'data'>, story: Parameters<typeof repositoryOf>[0]): readonly string[] {
  const names = repositoriesOf(run).map(({ name }) => name)
  const own = repositoryOf(story) ?? names[0]
  return names.filter((name) => name !== own)
}

/** No machine is ever stored with it, so that what is only seen cannot be written. */
const seenVersion = -1

/**
 * The Run as one of its repositories sees it: with the base, tip and configuration of that
 * repository. It is for reading: whoever changes a Run loads it.
 */
export function runIn(run: Run, repository: string | undefined): Run {
  if (repository === undefined) return run
  const found = run.data.repositories?.find(({ name }) => name === repository)
  if (found === undefined) throw new Error(`run ${run.id} has no repository ${repository}`)
  const { base, tip, config } = found
  return { ...run, version: seenVersion, data: { ...run.data, base, tip, config } }
}

/** What changes in a Run when the tip of one of its repositories moves. */
export function movedTip({ data }: Run, repository: string | undefined, tip: string): Partial<RunData> {
  if (repository === undefined) return { tip }
  const { repositories = [] } = data
  return { repositories: repositories.map((each) => (each.name === repository ? { ...each, tip } : each)) }
}

/** Whether the branches of a Run are moved together at its end, and not with each merge. */
export function landsTogether({ data }: Pick<Run, 'data'>): boolean {
  return data.repositories !== undefined
}

/** Whether what was merged in the story's repository is on the user's branch there. */
export function isLanded({ data }: Pick<Run, 'data'>, story: Parameters<typeof repositoryOf>[0]): boolean {
  const repository = repositoryOf(story) ?? null
  const { landing = [] } = data
  return landing.some((each) => each.repository === repository && each.moved)
}

/** The branches to move at the end: those of the repositories in which something was merged. */
export function landingOf({ data: { base, tip, repositories = [] } }: Run): readonly Landing[] {
  const own = { repository: null, base, tip }
  const all = [own, ...repositories.map(({ name, base, tip }) => ({ repository: name, base, tip }))]
  return all.flatMap(({ repository, base, tip }) =>
    tip === null || tip === base ? [] : [{ repository, sha: tip, moved: false }],
  )
}

/** What came of each repository of a Run, its own first; none for one alone. */
export function repositoryResults(run: Run): readonly RepositoryResult[] {
  return repositoriesOf(run).map(({ name, ...place }, i) => {
    const repository = i === 0 ? null : name
    const known = run.data.repositories?.some((each) => each.name === name) ?? false
    const { base, tip, branch } = repository === null || known ? runIn(run, repository ?? undefined).data : noPlace
    const isMoved = run.data.landing?.some((each) => each.repository === repository && each.moved) ?? false
    return { name, ...place, base, sha: tip === base ? null : tip, branch: isMoved ? branch : null }
  })
}

/** Of one that is not pinned yet. */
const noPlace = { base: null, tip: null, branch: null }
