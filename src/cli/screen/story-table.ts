import { limits } from '../../domain/limits.ts'
import { type AgainstPeers, describeAgainstPeers } from '../../domain/story/against-peers.ts'
import { inColumns } from './columns.ts'
import { formatTokens } from './format-tokens.ts'
import { formatUsd } from './format-usd.ts'
import type { Screen, Tone } from './screen.ts'

/** One story of a crew as people see it. */
export interface StoryLine {
  readonly id: string
  readonly title: string
  readonly state: string
  readonly slot: string | null
  /** Of the verify loops; null before it has started. */
  readonly attempt: number | null
  readonly reviews: number
  readonly tokens: number
  /** null while the price of a call is not known. */
  readonly cost_usd: number | null
  /** How many times the median of the others it has taken; null for what is not remarkable. */
  readonly against_peers: AgainstPeers
}

const tones: Readonly<Record<string, Tone>> = {
  ...{ DONE: 'good', STUCK: 'bad', INFRA_ERROR: 'bad', REJECTED: 'bad', ESCALATED: 'bad', CANCELLED: 'bad' },
  ...{ BLOCKED: 'bad', PAUSED: 'bad', QUEUED: 'plain' },
}

/** A line for each story that has taken far more than the others. */
export function peerLines(lines: readonly StoryLine[]): readonly string[] {
  return lines.flatMap(({ id, against_peers }) => {
    const said = describeAgainstPeers(against_peers)
    return said === null ? [] : [`${id} has taken ${said}.`]
  })
}

/** Stories in columns, in the order in which they were planned. */
export function storyTable(screen: Screen, lines: readonly StoryLine[]): string {
  const rows = lines.map(({ id, title, state, slot, attempt, reviews, tokens, cost_usd }) => {
    const tried = attempt === null ? '' : `${attempt}/${limits.verifyLoops}`
    const cells = [id, state, slot ?? '', tried, String(reviews), formatTokens(tokens), formatUsd(cost_usd), title]
    return { cells, tone: tones[state] ?? 'strong' }
  })
  const head = ['STORY', 'STATE', 'SLOT', 'ATTEMPT', 'REVIEWS', 'TOKENS', 'COST', 'TITLE']
  return inColumns(screen, { head, right: [3, 4, 5, 6], painted: 1 }, rows)
}
