import type { View } from '../../app/operations/views-of.ts'
import { formatCount, formatUsd } from '../../domain/figures-text.ts'
import { limits } from '../../domain/limits.ts'
import { describeAgainstPeers } from '../../domain/story/against-peers.ts'
import { describeBounds } from '../../domain/story/bounds.ts'
import { inColumns } from './columns.ts'
import type { Screen, Tone } from './screen.ts'

type BriefStoryLine = NonNullable<View<'runStatus'>['crew']>['stories'][number]

const tones: Readonly<Record<string, Tone>> = {
  DONE: 'good',
  STUCK: 'bad',
  INFRA_ERROR: 'bad',
  REJECTED: 'bad',
  ESCALATED: 'bad',
  CANCELLED: 'bad',
  BLOCKED: 'bad',
  PAUSED: 'bad',
  QUEUED: 'plain',
}

/** A line for each story that has taken far longer than the others. */
export function peerLines(lines: readonly BriefStoryLine[]): readonly string[] {
  return lines.flatMap(({ id, against_peers }) => {
    const said = describeAgainstPeers(against_peers)
    return said === null ? [] : [`${id} has taken ${said}.`]
  })
}

/** A line for each story whose editor was stopped. */
export function stopLines(lines: readonly BriefStoryLine[]): readonly string[] {
  return lines.flatMap(({ id, editor_stopped: why }) => (why === null ? [] : [`${id}: the editor was stopped: ${why}`]))
}

/** A line for each unfinished story that has used up part of its bounds. */
export function boundLines(lines: readonly BriefStoryLine[]): readonly string[] {
  return lines.flatMap(({ id, state, bounds }) => {
    const used = state === 'DONE' ? null : describeBounds(bounds)
    return used === null ? [] : [`${id}: ${used}`]
  })
}

/** Stories in columns, in planned order. */
export function storyTable(screen: Screen, lines: readonly BriefStoryLine[]): string {
  const rows = lines.map(({ id, title, state, paused_by: pauser, slot, attempt, reviews, tokens, cost_usd }) => {
    const tried = attempt === null ? '' : `${attempt}/${limits.verifyLoops}`
    const shown = pauser === null ? state : `${state} by ${pauser}`
    const cells = [id, shown, slot ?? '', tried, String(reviews), formatCount(tokens), formatUsd(cost_usd), title]
    return { cells, tone: tones[state] ?? 'strong' }
  })
  const head = ['STORY', 'STATE', 'SLOT', 'ATTEMPT', 'REVIEWS', 'TOKENS', 'COST', 'TITLE']
  return inColumns(screen, { head, right: [3, 4, 5, 6], painted: 1 }, rows)
}
