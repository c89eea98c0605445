import { repositoriesOf } from '../../domain/run/repositories.ts'
import type { NamedRepository, RunRepository } from '../../domain/run/repository.ts'
import type { Run } from '../../domain/run/run.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { inRepository } from '../in-repository.ts'
import { tellingProgress } from '../story/tell-progress.ts'
import { branchesBeside } from './branches.ts'
import { readPins } from './read-pins.ts'

/** The pinned further repositories of a Run, and their branches. */
export interface PinnedRepositories {
  /** Omitted for a Run with a single repository. */
  readonly data: Pick<Run['data'], 'repositories'>
  readonly branches: readonly string[]
}

/**
 * Updates the mirror with the further repositories of a Run. Each starts from its checked-out
 * commit; one that is pinned keeps its commit.
 */
export async function pinRepositories(
  deps: Pick<WorkflowDependencies, 'beside' | 'engine' | 'clock'>,
  run: Run,
  config: RunConfig,
  signal: AbortSignal,
): Promise<PinnedRepositories> {
  const [, ...others] = repositoriesOf(run)
  if (others.length === 0) return { data: {}, branches: [] }
  const pinned: RunRepository[] = []
  const branches: string[] = []
  // The repositories take turns, since they share the lock of the mirror.
  for (const named of others) {
    await inRepository(named.path, async () => {
      const beside = await deps.beside(named.path)
      const refs = await tellingProgress(deps, { run: run.id, story: null }, (onProgress) =>
        beside.userRepository.updateMirror(signal, onProgress),
      )
      branches.push(...branchesBeside(run, refs))
      const known = run.data.repositories?.find(({ name }) => name === named.name)
      pinned.push(known ?? (await pinOne(beside, named, config)))
    })
  }
  return { data: { repositories: pinned }, branches }
}

type Sources = Parameters<typeof readPins>[0]

async function pinOne(sources: Sources, { name, path }: NamedRepository, own: RunConfig): Promise<RunRepository> {
  const { sha: base } = await sources.userRepository.target(null)
  const wanted = { sha: base, configFile: null, stepsRequired: true, isGuided: true }
  const config = await readPins(sources, wanted)
  return { name, path, base, tip: base, config: { ...config, ...boundsOf(own), repository: path } }
}

/** The settings that apply to a whole Run, whatever the repository of a story. */
function boundsOf(own: RunConfig) {
  const { toolTimeoutSec, planningIterations, codingIterations, turnsWithoutProgress, mcp } = own
  const { scoping, request, budget, dollarsNamed, reviewRounds, acceptance } = own
  return {
    toolTimeoutSec,
    planningIterations,
    codingIterations,
    scoping,
    request,
    budget,
    reviewRounds,
    ...(turnsWithoutProgress !== undefined && { turnsWithoutProgress }),
    ...(dollarsNamed !== undefined && { dollarsNamed }),
    ...(acceptance !== undefined && { acceptance }),
    ...(mcp !== undefined && { mcp }),
  }
}
