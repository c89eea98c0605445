import type { StoryData } from './story.ts'

/**
 * An endless list of folders for a story's context files: a commit may use any of these names. The
 * patterns below exclude exactly the files that are written into them.
 */
export function* contextFolders(): Generator<string> {
  yield 'agent'
  yield '.drydock-agent'
  for (let n = 2; ; n += 1) yield `.drydock-agent-${n}`
}

/** True if a name in such a folder is excluded by the patterns. */
export function isContextFile(name: string): boolean {
  return /^context_.*\.md$/s.test(name)
}

/** True if a folder of this name may hold context files. */
export function isContextFolder(name: string): boolean {
  return /^(?:agent|\.drydock-agent(?:-.*)?)$/s.test(name)
}

/** The only ignore rules that Drydock adds to a repository's own. */
export const excludedPatterns = '/agent/context_*.md\n/.drydock-agent/context_*.md\n/.drydock-agent-*/context_*.md\n'

/** The folder of the story's context files, as its editor sees it. */
export function contextFolderOf({ contextPlace }: Pick<StoryData, 'contextPlace'>): string {
  return contextPlace?.folder ?? 'agent'
}
