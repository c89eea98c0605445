import type { Guide } from '../../agents/prompts/story-brief.ts'
import { limits } from '../../domain/limits.ts'
import type { Workspaces } from '../../ports/workspace.ts'

/**
 * The repository's advice to agents, from a base commit: AGENTS.md, else CLAUDE.md. It goes into
 * prompts as data.
 */
export type ReadGuide = (base: string) => Promise<Guide | null>

/** Remembers what a commit says, which never changes. */
export function createGuides(workspaces: Pick<Workspaces, 'fileAt'>): ReadGuide {
  const known = new Map<string, Promise<Guide | null>>()
  return (base) => {
    const guide = known.get(base) ?? read(workspaces, base)
    known.set(base, guide)
    guide.catch(() => known.delete(base))
    return guide
  }
}

async function read(workspaces: Pick<Workspaces, 'fileAt'>, base: string): Promise<Guide | null> {
  for (const name of ['AGENTS.md', 'CLAUDE.md']) {
    const text = await workspaces.fileAt(base, name, limits.guideBytes)
    if (text !== null && text.trim() !== '') return { name, text }
  }
  return null
}
