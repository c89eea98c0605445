import type { Installation } from '../../../app/installation.ts'
import { readGuidesNow } from '../../../app/views/guides-now.ts'
import { toldLine } from '../../../domain/guide/guide.ts'
import { limits } from '../../../domain/limits.ts'
import type { CommonOptions } from '../../context.ts'
import type { Check } from './check.ts'

/** Lists the repository's guides for agents, all of which are optional. */
export async function checkGuides(
  drydock: Pick<Installation, 'user' | 'userRepository' | 'guides'>,
  options: CommonOptions,
): Promise<readonly Check[]> {
  const told = await readGuidesNow(drydock, options)
  if (told.length === 0) return []
  const lines = told.slice(0, limits.guide.told).map(toldLine)
  const more = told.length > lines.length ? [`and ${told.length - lines.length} more`] : []
  return [{ name: 'agent guides', ok: true, found: [...lines, ...more].join('; '), exit: 0 }]
}
