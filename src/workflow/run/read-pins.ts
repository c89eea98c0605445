import type { Guide } from '../../domain/guide/guide.ts'
import { limits } from '../../domain/limits.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { readRoleGuides } from '../lane/role-guides.ts'

interface Wanted {
  /** A branch or commit; null for what is checked out. */
  readonly target: string | null
  readonly configFile: string | null
  readonly stepsRequired: boolean
  /** Whether agents are told what the commit says to them. */
  readonly isGuided: boolean
}

/** Reads what a Run is pinned to in one repository: the commit, and the configuration there. */
export async function readPins(
  { userRepository, readConfig, guides }: Pick<WorkflowDependencies, 'userRepository' | 'readConfig' | 'guides'>,
  { target, configFile, stepsRequired, isGuided }: Wanted,
): Promise<{ readonly base: string; readonly config: RunConfig }> {
  const { sha } = await userRepository.target(target)
  const repositoryText = await userRepository.fileAt(sha, '.drydock/config.json', limits.configBytes)
  const textAt = (path: string) => userRepository.fileAt(sha, path, limits.gate.fileBytes)
  const [read, roleGuides, guide] = await Promise.all([
    readConfig({ repositoryText, textAt, configFile, stepsRequired }),
    readRoleGuides(userRepository, sha),
    isGuided ? guides.of(sha) : null,
  ])
  return { base: sha, config: { ...read, roleGuides, ...toldBy(guide) } }
}

/** What of a guide is kept with the Run. */
function toldBy(guide: Guide | null): Pick<RunConfig, 'guides' | 'skills'> {
  const { told = [], skills = [] } = guide ?? {}
  return { ...(told.length > 0 && { guides: told }), ...(skills.length > 0 && { skills }) }
}
