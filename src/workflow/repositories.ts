import type { AnyMachine } from '../domain/machines.ts'
import { landsTogether, repositoryOf } from '../domain/run/repositories.ts'
import type { GateDependencies } from '../gate/dependencies.ts'
import { createTreeParts } from '../gate/layers/tree-parts.ts'
import { inRepository } from './in-repository.ts'
import { load, storyOf } from './machines.ts'
import type { PublishDependencies } from './merge/dependencies.ts'
import type { StartDependencies } from './run/dependencies.ts'
import type { StepDependencies } from './step-dependencies.ts'

/**
 * Another repository whose commits, workspaces and checkouts share this state. Its own files and
 * the user's settings configure it.
 */
export interface Beside
  extends Pick<GateDependencies, 'workTrees'>,
    Pick<StartDependencies, 'userRepository' | 'guides' | 'readConfig'>,
    Pick<PublishDependencies, 'publisher'> {
  /** Real path of the top of its work tree. */
  readonly path: string
  /** The folder with its refs, which all of its work trees share. */
  readonly refs: string
}

/** The parts that reach the other repositories of a Run. */
export interface RepositoryDependencies
  extends Pick<StepDependencies, 'store'>,
    Pick<GateDependencies, 'artifacts' | 'layers'> {
  /** Finds another repository of a Run by its path. Throws DrydockError if it is missing. */
  readonly beside: (path: string) => Promise<Beside>
}

/** Selects the parts for a machine's steps by its story's repository. */
export interface Repositories<Own> {
  of(machine: AnyMachine): Promise<Own>
}

export function createRepositories<Own extends RepositoryDependencies>(deps: Own): Repositories<Own> {
  const known = new Map<string, Promise<Own>>()

  async function open(path: string): Promise<Own> {
    const { userRepository, publisher, workTrees, guides, readConfig } = await deps.beside(path)
    const parts = createTreeParts({ workTrees, layers: deps.layers })
    const artifacts = deps.artifacts.ofRepository(path)
    return { ...deps, artifacts, userRepository, publisher, workTrees, guides, readConfig, parts }
  }

  return {
    async of(machine) {
      const run = await load(deps.store, 'run', machine.run)
      const story = landsTogether(run) ? await storyOf(deps.store, machine) : null
      const name = story === null ? undefined : repositoryOf(story)
      if (name === undefined) return deps
      const { path } = run.data.repositories?.find((each) => each.name === name) ?? { path: '' }
      const opening = known.get(path) ?? inRepository(path, () => open(path))
      known.set(path, opening)
      opening.catch(() => known.delete(path))
      return opening
    },
  }
}
