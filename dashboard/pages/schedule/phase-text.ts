import type { Phase, Span } from '../../../src/api/schedule.ts'
import { formatDuration } from '../../../src/domain/figures-text.ts'
import { waitsForWhom } from '../../parts/waits-for-answer.ts'

const titles: Readonly<Record<Exclude<Phase, 'asking'>, string>> = {
  waiting: 'Waiting',
  planning: 'Planning',
  coding: 'Coding',
  verifying: 'Verifying',
  reviewing: 'Review',
  merging: 'Merging',
  paused: 'Paused',
}

/** All phases, in the order of the legend. */
export const phases: readonly Phase[] = [
  'waiting',
  'planning',
  'coding',
  'verifying',
  'reviewing',
  'merging',
  'asking',
  'paused',
]

export function phaseTitle(phase: Phase): string {
  return phase === 'asking' ? waitsForWhom() : titles[phase]
}

/** Phases in which nobody works on the story. */
export const restPhases: readonly Phase[] = ['waiting', 'asking', 'paused']

export function millisOf({ from, to }: Span, now: number): number {
  return Math.max(0, (to === null ? now : Date.parse(to)) - Date.parse(from))
}

export function clock(at: string | number): string {
  return new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' })
}

/** `Coding, 12 min 03 s, 12:00:10 to 12:12:13` */
export function spanTitle(span: Span, now: number): string {
  const until = span.to === null ? 'until now' : `to ${clock(span.to)}`
  return `${phaseTitle(span.phase)}, ${formatDuration(millisOf(span, now))}, ${clock(span.from)} ${until}`
}
