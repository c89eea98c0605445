import type { StoryData } from './story.ts'

/**
 * Folders that may hold a story's context files, without end: a commit has only so many names. The
 * patterns below exclude exactly what is written into them.
 */
export function* contextFolders(): Generator<string> {
  yield 'agent'
  yield '.drydock-agent'
  for (let n = 2; ; n += 1) yield `.drydock-agent-${n}`
}

/** Whether a name in such a folder is one of those that are excluded. */
export function isContextFile(name: string): boolean {
  return /^context_.*\.md$/s.test(name)
}

/** Whether a folder of this name may hold context files. */
export function isContextFolder(name: string): boolean {
  return /^(?:agent|\.drydock-agent(?:-.*)?)$/s.test(name)
}

/** The only ignore rules that Drydock adds to a repository's own. */
export const excludedPatterns = '/agent/context_*.md\n/.drydock-agent/context_*.md\n/.drydock-agent-*/context_*.md\n'

/** The folder in which its editor finds its context files. */
export function contextFolderOf({ contextPlace }: Pick<StoryData, 'contextPlace'>): string {
  return contextPlace?.folder ?? 'agent'
}
