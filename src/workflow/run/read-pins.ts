import type { Guide } from '../../domain/guide/guide.ts'
import { limits } from '../../domain/limits.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { readRoleGuides } from '../lane/role-guides.ts'

interface PinQuery {
  /** The commit whose files configure the work on its repository. */
  readonly sha: string
  readonly configFile: string | null
  readonly stepsRequired: boolean
  /** True if agents get the commit's guides. */
  readonly isGuided: boolean
}

/** Reads the configuration that a Run pins for one repository, at one commit. */
export async function readPins(
  { userRepository, readConfig, guides }: Pick<WorkflowDependencies, 'userRepository' | 'readConfig' | 'guides'>,
  { sha, configFile, stepsRequired, isGuided }: PinQuery,
): Promise<RunConfig> {
  const repositoryText = await userRepository.fileAt(sha, '.drydock/config.json', limits.configBytes)
  const textAt = (path: string) => userRepository.fileAt(sha, path, limits.gate.fileBytes)
  const [read, roleGuides, guide] = await Promise.all([
    readConfig({ repositoryText, textAt, configFile, stepsRequired }),
    readRoleGuides(userRepository, sha),
    isGuided ? guides.of(sha) : null,
  ])
  return { ...read, roleGuides, ...toldBy(guide) }
}

/** The parts of a guide that the Run stores. */
function toldBy(guide: Guide | null): Pick<RunConfig, 'guides' | 'skills'> {
  const { told = [], skills = [] } = guide ?? {}
  return { ...(told.length > 0 && { guides: told }), ...(skills.length > 0 && { skills }) }
}
