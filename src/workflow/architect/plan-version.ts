import { createHash } from 'node:crypto'
import { canonicalJson } from '../../domain/canonical-json.ts'
import type { Json } from '../../domain/json.ts'
import type { PlannedStory } from '../../domain/story/planned-story.ts'

/** Names the contents of a plan: who edits it says which contents were seen. */
export function planVersion(stories: readonly PlannedStory[]): string {
  return createHash('sha256')
    .update(canonicalJson(stories as unknown as Json))
    .digest('hex')
    .slice(0, 16)
}
