import { shortageOf } from '../../domain/lane/lane.ts'
import { budgetNames, pauserName } from '../../domain/run/pause-cause.ts'
import { isHeld } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import type { RunFacts } from './run-facts.ts'

/** The name of whoever or whatever paused a story; null for a story that is not PAUSED. */
export function storyPauser({ run, lanes }: Pick<RunFacts, 'run' | 'lanes'>, story: Story | undefined): string | null {
  if (story?.state !== 'PAUSED') return null
  const own = lanes.filter((lane) => lane.story === story.story).flatMap(({ data }) => shortageOf(data) ?? [])
  return own.length === 0 && isHeld(run) ? pauserName(run.data.rest ?? {}) : budgetNames(own)
}
