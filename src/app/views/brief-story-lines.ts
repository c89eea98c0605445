import type { BriefStoryLine } from '../../api/views/status.ts'
import { limits } from '../../domain/limits.ts'
import { boundsUsed } from '../../domain/story/bounds.ts'
import { shownTitle } from '../../domain/story/planned-story.ts'
import { costsOfStory } from './costs.ts'
import { editorStop } from './editor-stop.ts'
import { peersOf } from './peers.ts'
import { type RunFacts, storyPauser } from './run-facts.ts'

const reviewed = ['plan', 'code', 'completion']

/** The stories as lines of a table. Until stories have started, lists the planned ones. */
export function briefStoryLines(facts: RunFacts): readonly BriefStoryLine[] {
  const { run, stories, requests, spending } = facts
  const peers = peersOf(facts, facts.until)
  const known = new Map(stories.map((story) => [story.story, story]))
  const planned = run.data.stories ?? stories.flatMap(({ data }) => data.planned ?? [])
  return planned.map((plan) => {
    const { id } = plan
    const story = known.get(id)
    const reviews = requests.filter((each) => each.story === id && reviewed.includes(each.data.kind))
    const { cost_usd, input_tokens: input, output_tokens: output } = costsOfStory(spending, id)
    const started = story !== undefined && story.data.planning > 0
    return {
      id,
      title: shownTitle(plan),
      state: story?.state ?? 'QUEUED',
      paused_by: storyPauser(facts, story),
      slot: story?.data.slot ?? null,
      attempt: started ? Math.min(story.data.failures.loops + 1, limits.verifyLoops) : null,
      reviews: reviews.length,
      tokens: input + output,
      cost_usd,
      against_peers: peers.get(id) ?? { calls: null, time: null },
      editor_stopped: story === undefined ? null : editorStop(story, requests),
      bounds: story === undefined ? [] : boundsUsed(story.data, run.data.config?.reviewRounds),
    }
  })
}
