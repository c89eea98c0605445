import type { Guide } from '../agents/prompts/story-brief.ts'
import { limits } from '../domain/limits.ts'
import type { WorkflowDependencies } from './dependencies.ts'

/** The repository's advice to agents, from the base commit: AGENTS.md, else CLAUDE.md. It goes into prompts as data. */
export async function readGuide(
  { workspaces }: Pick<WorkflowDependencies, 'workspaces'>,
  base: string,
): Promise<Guide | null> {
  for (const name of ['AGENTS.md', 'CLAUDE.md']) {
    const text = await workspaces.fileAt(base, name, limits.guideBytes)
    if (text !== null && text.trim() !== '') return { name, text }
  }
  return null
}
