import type { RunAcceptance, StoryAcceptance } from '../../../api/acceptance.ts'
import { shownCriteria } from '../../../domain/acceptance/shown-criteria.ts'
import type { Run } from '../../../domain/run/run.ts'
import { titleOf } from '../../../domain/run/title.ts'
import type { Story } from '../../../domain/story/story.ts'
import { firstLine } from '../../../domain/text.ts'
import type { Records } from '../../../ports/store.ts'

/** Acceptance criteria by story; null is the key of a task. */
export type Acceptances = ReadonlyMap<string | null, StoryAcceptance>

/** The criteria of stories that have hidden tests, by story. The tests themselves stay out. */
export async function readAcceptances(records: Records, run: Run, stories: readonly Story[]): Promise<Acceptances> {
  const machines = await records.machines({ kind: 'acceptance', run: run.id })
  const rows = machines.length === 0 ? [] : await records.verifications(run.id)
  const known = new Map(stories.map((story) => [story.story, story]))
  return new Map(
    machines.flatMap((acceptance) => {
      const story = known.get(acceptance.story)
      if (story === undefined) return []
      const results = rows.flatMap((row) => (row.story === story.story ? (row.manifest?.acceptance ?? []) : []))
      const result = results.findLast(({ criteria }) => criteria !== undefined) ?? null
      const criteria = shownCriteria({ run, story, acceptance, result })
      return [[story.story, { state: acceptance.state, criteria: [...criteria] }]]
    }),
  )
}

/** Like `readAcceptances`, for the page of a whole Run. */
export async function readRunAcceptance(records: Records, run: Run): Promise<RunAcceptance> {
  const stories = await records.machines({ kind: 'story', run: run.id })
  const known = await readAcceptances(records, run, stories)
  return {
    stories: stories.flatMap(({ story, state }) => {
      const acceptance = known.get(story)
      if (acceptance === undefined || story === null) return []
      const planned = run.data.stories?.find(({ id }) => id === story)
      return [{ story, title: planned?.title ?? firstLine(titleOf(run)), state, acceptance }]
    }),
  }
}
