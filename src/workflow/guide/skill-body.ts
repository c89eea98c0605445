import { posix } from 'node:path'
import { dataSection } from '../../agents/prompts/data-section.ts'
import { done, refuse, type ToolOutcome } from '../../agents/tools/tool.ts'
import type { Run } from '../../domain/run/run.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { splitFrontMatter } from './front-matter.ts'

/** The answer to `read_skill`: the skill's text at the Run's base commit. */
export async function skillBody(
  { guides }: Pick<WorkflowDependencies, 'guides'>,
  { data: { base, config } }: Run,
  { name, has }: { readonly name: string; readonly has: (tool: string) => boolean },
): Promise<ToolOutcome> {
  const skills = config?.skills ?? []
  const skill = skills.find((each) => each.name === name.trim())
  if (skill === undefined || base === null)
    return refuse(
      `There is no skill ${JSON.stringify(name)}. The skills are: ${skills.map((each) => each.name).join(', ')}.`,
    )
  const read = await guides.skill(base, skill)
  if (!read.ok) return refuse(`${skill.file} cannot be read: ${read.why ?? 'it does not exist'}`)
  const { body } = await splitFrontMatter(read.text)
  const reading = has('read_file')
  const remarks = [
    read.cut && `The file has ${read.size} bytes; it was cut here.${reading ? ' Read the rest with `read_file`.' : ''}`,
    `Other files of the skill are in \`${posix.dirname(skill.file)}/\`${reading ? ': read them with `read_file`' : ''}.`,
    has('run_command') && 'Its scripts run only by `run_command`.',
  ]
  return done(`${dataSection('skill', body.trim(), ` name="${skill.name}"`)}\n${remarks.filter(Boolean).join(' ')}`)
}
