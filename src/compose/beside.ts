import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Installation } from '../app/installation.ts'
import { type LoadedUserConfig, resolveConfig } from '../config/load.ts'
import { createGuides, type Guides } from '../workflow/guide/guides.ts'
import type { Beside } from '../workflow/repositories.ts'

interface Sources {
  /** The repository that relative paths start from. */
  readonly repository: string
  readonly user: LoadedUserConfig
  /** The top of the work tree around a folder. Throws DrydockError `not_a_repository`. */
  readonly find: (directory: string) => Promise<string>
  /** The folder with a repository's refs, which all its work trees share. */
  readonly refsOf: (repository: string) => Promise<string>
  /** Throws a DrydockError for a repository whose state folder is not permitted. */
  readonly check: (repository: string) => Promise<void>
  readonly git: (repository: string) => Promise<Pick<Beside, 'userRepository' | 'publisher' | 'workTrees'>>
  readonly globMatcher: Parameters<typeof createGuides>[0]['globMatcher']
}

/** Opens further repositories, each only once. */
export function createBeside({ repository, user, globMatcher, ...ports }: Sources): Installation['beside'] {
  const known = new Map<string, Promise<Beside>>()
  async function open(path: string): Promise<Beside> {
    await ports.check(path)
    const git = await ports.git(path)
    const guides: Guides = createGuides({ ...git, globMatcher })
    const readConfig: Beside['readConfig'] = (request) =>
      resolveConfig({ ...request, user, repositoryPath: path, flags: {} })
    return { path, refs: await ports.refsOf(path), ...git, guides, readConfig }
  }
  return async (directory) => {
    const path = await realpath(await ports.find(resolve(repository, directory)))
    const opening = known.get(path) ?? open(path)
    known.set(path, opening)
    opening.catch(() => known.delete(path))
    return opening
  }
}
