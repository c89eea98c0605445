import type { Agent } from '../../domain/lane/lane.ts'
import type { RunConfig } from '../../domain/run/run-config.ts'
import { dataSection } from './data-section.ts'
import type { Speak } from './guidance.ts'
import { skillsSection } from './guide-section.ts'

interface RoleSectionsInput {
  readonly config: Pick<RunConfig, 'instructions' | 'roleGuides' | 'skills'>
  /** True if the lane has the tool `read_skill`. */
  readonly hasSkills: boolean
  readonly speak: Speak
}

/**
 * The beginning of each lane of a role: the user's binding words to that role, the repository's
 * advice to it, and the repository's skills.
 */
export function roleSections(agent: Agent, { config, hasSkills, speak }: RoleSectionsInput): readonly string[] {
  const own = config.instructions?.[agent]
  const guide = config.roleGuides?.[agent]
  return [
    ...(own === undefined ? [] : [`The user says to the ${agent}, in every run:\n${speak(own)}`]),
    ...(guide === undefined ? [] : [guideSection(agent, guide)]),
    ...(hasSkills ? [skillsSection(config.skills ?? [])] : []),
  ]
}

function guideSection(agent: Agent, { name, text, cut }: NonNullable<RunConfig['roleGuides']>[Agent] & object): string {
  const more = cut ? ' The file is longer; it was cut here.' : ''
  return `${dataSection('role_guide', text, ` file="${name}"`)}\nThis is the repository's advice to the ${agent}. The task, a person and your instructions take precedence over it.${more}`
}
