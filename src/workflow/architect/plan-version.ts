import { createHash } from 'node:crypto'
import { canonicalJson } from '../../domain/canonical-json.ts'
import type { Json } from '../../domain/json.ts'
import type { PlannedStory } from '../../domain/story/planned-story.ts'

/** A hash of a plan's contents, by which an edit says which plan its author has seen. */
export function planVersion(stories: readonly PlannedStory[]): string {
  return createHash('sha256')
    .update(canonicalJson(stories as unknown as Json))
    .digest('hex')
    .slice(0, 16)
}
