import { isLaterGuides, laterGuides } from '../../agents/prompts/guide-section.ts'
import { touchedPaths } from '../../agents/touched-paths.ts'
import type { GuideText } from '../../domain/guide/guide.ts'
import { agentOf, type Lane } from '../../domain/lane/lane.ts'
import type { Message } from '../../domain/lane/message.ts'
import { limits } from '../../domain/limits.ts'
import type { Run } from '../../domain/run/run.ts'
import type { WorkflowDependencies } from '../dependencies.ts'

/** The guides for a lane's next request, and the files that the lane then knows. */
export interface DueGuides {
  readonly text: string
  readonly files: readonly string[]
}

/**
 * The guides of the folders in which a lane has just read or edited files, and the rules for these
 * files, each once in a lane; null if there are none. A scout answers its one question without
 * them.
 */
export async function dueGuides(
  { guides }: Pick<WorkflowDependencies, 'guides'>,
  { lane, run, stored }: { readonly lane: Lane; readonly run: Run; readonly stored: readonly Message[] },
): Promise<DueGuides | null> {
  const { base } = run.data
  const { role, guided = [] } = lane.data
  const paths = base === null || agentOf(role) === 'scout' ? [] : touchedPaths(stored)
  if (base === null || paths.length === 0) return null
  const found = await guides.about(base, paths)
  const due = found.filter(({ file }) => !guided.includes(file))
  if (due.length === 0) return null
  const { shown, named } = withinRoom(due, bytesSaid(stored))
  return { text: laterGuides(shown, named), files: due.map(({ file }) => file) }
}

/** Shows as many texts as the conversation has room for, and only names the others. */
function withinRoom(
  due: readonly GuideText[],
  said: number,
): { shown: readonly GuideText[]; named: readonly string[] } {
  const shown: GuideText[] = []
  let room = limits.guide.laterBytes - said
  for (const guide of due) {
    const bytes = Buffer.byteLength(guide.text)
    if (bytes > room) continue
    shown.push(guide)
    room -= bytes
  }
  return { shown, named: due.filter((guide) => !shown.includes(guide)).map(({ file }) => file) }
}

function bytesSaid(stored: readonly Message[]): number {
  const later = stored.slice(1).filter((message) => message.role === 'user' && isLaterGuides(message.text))
  return later.reduce((sum, message) => sum + (message.role === 'user' ? Buffer.byteLength(message.text) : 0), 0)
}
