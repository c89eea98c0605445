import type { AgentRole } from '../../domain/lane/lane.ts'

export const editorRoles = ['editor_planning', 'editor_coding'] as const satisfies readonly AgentRole[]

export const scoutRoles = ['codebase_scout', 'build_scout'] as const satisfies readonly AgentRole[]

/** The architect in requests that it reads for. */
export const readingRequestRoles = ['architect_review', 'architect_question'] as const satisfies readonly AgentRole[]
/** The architect wherever it reads: everywhere but in a budget review, which has figures only. */
export const readingArchitectRoles = [
  'architect_interview',
  'architect_scoping',
  'architect_stories',
  ...readingRequestRoles,
] as const satisfies readonly AgentRole[]

/**
 * The architect where it writes or reads tests that no editor may see: it reads the repository, and
 * has no way to say anything to anybody but by its answer.
 */
export const secretRoles = [
  'architect_tests',
  'architect_quotes',
  'architect_judge',
] as const satisfies readonly AgentRole[]

export function isSecret(role: AgentRole): boolean {
  return (secretRoles as readonly AgentRole[]).includes(role)
}

/** Those who have a story's thread, or the Run's. */
export const chatRoles = [...editorRoles, ...readingArchitectRoles]
