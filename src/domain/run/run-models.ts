/** Models by role, as the user named them. The architect's is null without an architect. */
export interface RunModels {
  readonly architect: string | null
  readonly editor: string
  readonly scout: string
  /** Fallbacks while a role's model is out, in order. */
  readonly fallback?: { readonly [Role in 'architect' | 'editor' | 'scout']?: readonly string[] }
  /** Seconds that a lane waits for its model before the next one takes over. */
  readonly fallbackAfterSec?: number
}

/** All models that a Run may use. */
export function namesIn(models: RunModels | null): readonly string[] {
  if (models === null) return []
  const { architect, editor, scout, fallback = {} } = models
  return [...new Set([architect ?? editor, editor, scout, ...Object.values(fallback).flat()])]
}
