import type { NewRemarkInput } from '../../../src/api/remarks.ts'
import { type Anchor, linesText, type Placement } from './anchor.ts'

/**
 * A comment in the form that is sent: at the current position of its lines. Lines that have changed
 * since, and a file that is gone, are described in words.
 */
export function remarkOf(anchor: Anchor, place: Placement, text: string): NewRemarkInput {
  const { path, side, start, hunk } = anchor
  if (path === null) return { text }
  if (start === null) return { path, side, text }
  if (place.at === 'lines' || place.at === 'hidden')
    return { path, side, text, start: place.start, end: place.end, ...(hunk !== null && { hunk }) }
  const said = `${text}\n\n(Said about ${linesText(anchor)} of ${JSON.stringify(path)}, which changed since.)`
  return place.at === 'outdated' && place.isGone ? { text: said } : { path, side, text: said }
}
