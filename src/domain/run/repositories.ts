import type { PlannedStory } from '../story/planned-story.ts'
import type { Landing, NamedRepository, RepositoryResult } from './repository.ts'
import type { Run, RunData } from './run.ts'

/** Every repository of a Run over several, its own first; empty for any other Run. */
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

/** No stored machine has this version, so a view cannot be written. */
const seenVersion = -1

/**
 * The Run as one of its repositories sees it: with the base, tip and configuration of that
 * repository. The view is read-only: a step that changes a Run loads the Run itself.
 */
export function runIn(run: Run, repository: string | undefined): Run {
  if (repository === undefined) return run
  const found = run.data.repositories?.find(({ name }) => name === repository)
  if (found === undefined) throw new Error(`run ${run.id} has no repository ${repository}`)
  const { base, tip, config } = found
  return { ...run, version: seenVersion, data: { ...run.data, base, tip, config } }
}

/** The change to a Run when the tip of one of its repositories moves. */
export function movedTip({ data }: Run, repository: string | undefined, tip: string): Partial<RunData> {
  if (repository === undefined) return { tip }
  const { repositories = [] } = data
  return { repositories: repositories.map((each) => (each.name === repository ? { ...each, tip } : each)) }
}

/** True if the branches of a Run are moved together at its end, and not with each merge. */
export function landsTogether({ data }: Pick<Run, 'data'>): boolean {
  return data.repositories !== undefined
}

/** True if the merged changes of the story's repository are on the user's branch there. */
export function isLanded({ data }: Pick<Run, 'data'>, story: Parameters<typeof repositoryOf>[0]): boolean {
  const repository = repositoryOf(story) ?? null
  const { landing = [] } = data
  return landing.some((each) => each.repository === repository && each.moved)
}

/** The branches to move at the end: those of the repositories with merged changes. */
export function landingOf({ data: { base, tip, repositories = [] } }: Run): readonly Landing[] {
  const own = { repository: null, base, tip }
  const all = [own, ...repositories.map(({ name, base, tip }) => ({ repository: name, base, tip }))]
  return all.flatMap(({ repository, base, tip }) =>
    tip === null || tip === base ? [] : [{ repository, sha: tip, moved: false }],
  )
}

/** The result in each repository of a Run, its own first; empty for a single repository. */
export function repositoryResults(run: Run): readonly RepositoryResult[] {
  return repositoriesOf(run).map(({ name, ...place }, i) => {
    const repository = i === 0 ? null : name
    const known = run.data.repositories?.some((each) => each.name === name) ?? false
    const { base, tip, branch } = repository === null || known ? runIn(run, repository ?? undefined).data : noPlace
    const isMoved = run.data.landing?.some((each) => each.repository === repository && each.moved) ?? false
    return { name, ...place, base, sha: tip === base ? null : tip, branch: isMoved ? branch : null }
  })
}

/** The place of a repository that is not pinned yet. */
const noPlace = { base: null, tip: null, branch: null }
