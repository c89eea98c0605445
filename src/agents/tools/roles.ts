import type { AgentRole } from '../../domain/lane/lane.ts'

export const editorRoles = ['editor_planning', 'editor_coding'] as const satisfies readonly AgentRole[]

export const scoutRoles = ['codebase_scout', 'build_scout'] as const satisfies readonly AgentRole[]

/** The architect's roles that read for a request. */
export const readingRequestRoles = ['architect_review', 'architect_question'] as const satisfies readonly AgentRole[]
/** The architect's roles that read: all but budget reviews, which have only figures. */
export const readingArchitectRoles = [
  'architect_interview',
  'architect_scoping',
  'architect_stories',
  ...readingRequestRoles,
] as const satisfies readonly AgentRole[]

/**
 * The architect's roles that write or read hidden tests: they read the repository, and can say
 * something only by their answer.
 */
export const secretRoles = [
  'architect_tests',
  'architect_quotes',
  'architect_judge',
] as const satisfies readonly AgentRole[]

export function isSecret(role: AgentRole): boolean {
  return (secretRoles as readonly AgentRole[]).includes(role)
}

/** Roles with access to the chat of a story, or of the Run. */
export const chatRoles = [...editorRoles, ...readingArchitectRoles]
