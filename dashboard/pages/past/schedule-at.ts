import type { Schedule } from '../../../src/api/schedule.ts'
import type { RunAt } from './run-at.ts'

/**
 * The schedule up to that moment. The critical path is left out, since it is only known afterwards.
 */
export function scheduleAt(schedule: Schedule, { moment: { at }, stories, cost_usd }: RunAt): Schedule {
  const then = new Map(stories.map((story) => [story.id, story]))
  return {
    from: schedule.from,
    to: at,
    live: false,
    critical_path: [],
    unpriced: schedule.unpriced,
    stories: schedule.stories.flatMap((story) => {
      const known = then.get(story.story)
      if (known === undefined) return []
      const spans = story.spans
        .filter(({ from }) => from <= at)
        .map((span) => (span.to === null || span.to > at ? { ...span, to: null } : span))
      return [{ ...story, state: known.state as typeof story.state, critical: false, spans }]
    }),
    spending: [...schedule.spending.filter((point) => point.at <= at && point.cost_usd <= cost_usd), { at, cost_usd }],
  }
}
