/** Models by role, as the user named them. The architect's is null where none takes part. */
export interface RunModels {
  readonly architect: string | null
  readonly editor: string
  readonly scout: string
  /** Those that stand in for a role's model while it is out, in their order. */
  readonly fallback?: { readonly [Role in 'architect' | 'editor' | 'scout']?: readonly string[] }
  /** Seconds that a lane waits for its model before the next takes its place. */
  readonly fallbackAfterSec?: number
}

/** All models that a Run may use. */
export function namesIn(models: RunModels | null): readonly string[] {
  if (models === null) return []
  const { architect, editor, scout, fallback = {} } = models
  return [...new Set([architect ?? editor, editor, scout, ...Object.values(fallback).flat()])]
}
