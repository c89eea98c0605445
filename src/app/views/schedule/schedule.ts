import type { Schedule } from '../../../api/schedule.ts'
import { isAtRest } from '../../../domain/run/outcome.ts'
import { readFigures } from '../figures.ts'
import { readRunFacts } from '../run-facts.ts'
import { storyLines } from '../story-lines.ts'
import { findRun, type ViewSources } from '../view-sources.ts'
import { readCrewDays } from './crew-days.ts'
import { criticalPath } from './critical-path.ts'
import { partsOf } from './story-spans.ts'

/**
 * The phases of each story of a Run over time, the reasons for its waits, and the critical path.
 */
export async function readSchedule(sources: ViewSources, id: string): Promise<Schedule> {
  const { records } = sources
  const run = await findRun(sources, id)
  const facts = await readRunFacts(records, run)
  const owned = sources.isOwned()
  const live = owned && !isAtRest(run)
  const now = sources.now()
  // Time ends at the last event if no process works on the Run.
  const to = live ? now.toISOString() : facts.until || now.toISOString()
  const planned = storyLines(facts, { owned, now, outcome: null }).map((line) => ({ ...line, story: line.id }))
  const days = await readCrewDays(records, facts, { planned, to })
  const path = criticalPath(days)
  const critical = new Set(path.map(({ story }) => story))
  const { spending, unpriced } = await readFigures(sources, id)
  return {
    from: days.from,
    to,
    live,
    stories: days.stories.map((story) => ({
      story: story.story,
      title: story.title,
      state: story.state,
      depends_on: [...story.depends_on],
      critical: critical.has(story.story),
      spans: partsOf(story, days).map(({ phase, from, to: end, why }) => ({
        phase,
        from,
        why,
        to: story.endedAt === null && end === to ? null : end,
      })),
    })),
    critical_path: [...path],
    unpriced,
    spending: spending.map(({ at, cost_usd }) => ({
      at,
      cost_usd: cost_usd.architect + cost_usd.editor + cost_usd.scout,
    })),
  }
}
