import type { Suspicion } from '../../domain/gate/gate-finding.ts'
import { changedTexts } from './changed-texts.ts'
import type { Compared, ComparingDeps } from './compared-files.ts'
import { inDisguise } from './disguised-text.ts'
import { inSources } from './judges-itself.ts'
import { inComments } from './suppressed-checks.ts'

/**
 * Early warnings from the words of a change, before any run. A person settles each by reading a few
 * lines, and each can be wrong.
 */
export async function earlyWarnings(
  deps: ComparingDeps,
  compared: Compared,
  signal: AbortSignal,
): Promise<readonly Suspicion[]> {
  const { texts, unread } = await changedTexts(deps, compared, signal)
  return [
    ...(await inComments(texts)),
    ...(await inSources(deps, { ...compared, texts }, signal)),
    ...(await inDisguise(texts)),
    ...unread,
  ]
}
