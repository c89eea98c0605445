import type { StateReader } from '../../compose.ts'
import type { ChatMessage } from '../../domain/chat.ts'
import type { EventOfType } from '../../domain/event.ts'
import { limits } from '../../domain/limits.ts'
import type { Merge } from '../../domain/merge/merge.ts'
import type { OpenEscalation } from '../../domain/request/open-escalations.ts'
import type { Request } from '../../domain/request/request.ts'
import { architectState } from '../../domain/run/architect-state.ts'
import type { Spending } from '../../domain/run/budget.ts'
import type { Run } from '../../domain/run/run.ts'
import { type AgainstPeers, againstPeers, workingMs } from '../../domain/story/against-peers.ts'
import type { Story } from '../../domain/story/story.ts'
import { openEscalations } from '../open-escalations.ts'
import { flakyLines } from '../screen/flaky-lines.ts'
import type { CrewStatus } from '../screen/status-table.ts'
import type { StoryLine } from '../screen/story-table.ts'
import { costsOfStory } from './costs.ts'

/** All that is known of a Run whose stories a crew builds. */
export interface Crew {
  readonly run: Run
  readonly stories: readonly Story[]
  readonly spending: readonly Spending[]
  readonly requests: readonly Request[]
  readonly merges: readonly Merge[]
  readonly chat: readonly ChatMessage[]
  readonly open: readonly OpenEscalation[]
  /** Of its stories, newest first, and the time of the newest event of all. */
  readonly moves: readonly EventOfType<'state'>[]
  readonly until: string
  /** What a hook of the user's could not be told, newest first. */
  readonly untold: readonly EventOfType<'notification_failed'>[]
  /** A line for each test that failed and passed without a change. */
  readonly flaky: readonly string[]
}

export async function readCrew(records: StateReader, run: Run): Promise<Crew> {
  const stories = (await records.machines({ kind: 'story', run: run.id })) as readonly Story[]
  return {
    ...{ run, stories },
    spending: await records.spending(run.id),
    requests: (await records.machines({ kind: 'request', run: run.id })) as readonly Request[],
    merges: (await records.machines({ kind: 'merge', run: run.id })) as readonly Merge[],
    chat: await records.chat({ run: run.id }),
    open: await openEscalations(records, run),
    moves: await records.recentEvents({ run: run.id, types: ['state'], limit: 1_000_000 }),
    until: (await records.recentEvents({ run: run.id, limit: 1 }))[0]?.at ?? '',
    untold: await readUntold(records, run.id),
    flaky: flakyLines(await records.flakyTests(), run.id),
  }
}

/** What each story has taken against the others. */
export function crewAgainstPeers({ stories, spending, moves, until }: Crew): ReadonlyMap<string, AgainstPeers> {
  const movesOf = Map.groupBy(moves, ({ story }) => story)
  return againstPeers(
    stories.map(({ story }) => {
      const own = (movesOf.get(story) ?? []).map(({ at, data }) => ({ at, to: data.to }))
      const calls = spending.reduce((sum, each) => (each.story === story ? sum + each.calls : sum), 0)
      return { id: story ?? '', calls, workingMs: workingMs(own, until) }
    }),
  )
}

/** What `drydock status` says of a crew beside its Run's state. */
export async function crewStatus(records: StateReader, run: Run): Promise<CrewStatus> {
  const stories = await records.machines({ kind: 'story', run: run.id })
  const requests = await records.machines({ kind: 'request', run: run.id, states: ['OPEN', 'ESCALATED'] })
  const open = await openEscalations(records, run)
  const { request } = run.data
  return {
    architect: architectState(run, requests as readonly Request[]),
    done: stories.filter(({ state }) => state === 'DONE').length,
    // Of a plan none is built.
    stories: request.kind === 'spec' && request.planOnly ? 0 : Math.max(stories.length, run.data.stories?.length ?? 0),
    escalations: open.map(({ message }) => message.id),
  }
}

/** Newest first. */
export function readUntold(records: StateReader, run: string): Promise<readonly EventOfType<'notification_failed'>[]> {
  return records.recentEvents({ run, types: ['notification_failed'], limit: 20 })
}

export function describeUntold({
  data: { about, message, notifier, error },
}: EventOfType<'notification_failed'>): string {
  const what = message === null ? `that it has ${about}` : `of message ${message}`
  return `You could not be told ${what}. ${notifier}: ${error}`
}

const reviewed = ['plan', 'code', 'completion']

/** The stories as lines of a table; before any is started, as they were planned. */
export function storyLines(crew: Crew): readonly StoryLine[] {
  const { run, stories, requests, spending } = crew
  const peers = crewAgainstPeers(crew)
  const known = new Map(stories.map((story) => [story.story, story]))
  const planned = run.data.stories ?? stories.flatMap(({ data }) => data.planned ?? [])
  return planned.map(({ id, title }) => {
    const story = known.get(id)
    const reviews = requests.filter((each) => each.story === id && reviewed.includes(each.data.kind))
    const { cost_usd, input_tokens: input, output_tokens: output } = costsOfStory(spending, id)
    const started = story !== undefined && story.data.planning > 0
    return {
      ...{ id, title, state: story?.state ?? 'QUEUED', slot: story?.data.slot ?? null },
      attempt: started ? Math.min(story.data.failures.loops + 1, limits.verifyLoops) : null,
      reviews: reviews.length,
      tokens: input + output,
      cost_usd,
      against_peers: peers.get(id) ?? { calls: null, time: null },
    }
  })
}
