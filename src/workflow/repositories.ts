import type { AnyMachine } from '../domain/machines.ts'
import { landsTogether, repositoryOf } from '../domain/run/repositories.ts'
import { createTreeParts } from '../gate/layers/tree-parts.ts'
import type { WorkflowDependencies } from './dependencies.ts'
import { inRepository } from './in-repository.ts'
import { load, storyOf } from './machines.ts'

/** Hands out what the steps of a machine work with: that of its story's repository. */
export interface Repositories {
  of(machine: AnyMachine): Promise<WorkflowDependencies>
}

export function createRepositories(deps: WorkflowDependencies): Repositories {
  const known = new Map<string, Promise<WorkflowDependencies>>()

  async function open(path: string): Promise<WorkflowDependencies> {
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
