import type { StateReader } from '../compose.ts'
import type { ChatMessage } from '../domain/chat.ts'
import { limits } from '../domain/limits.ts'
import type { Merge } from '../domain/merge.ts'
import type { Request } from '../domain/request.ts'
import type { Run } from '../domain/run.ts'
import type { Story } from '../domain/story.ts'
import { type OpenEscalation, openEscalations } from './open-escalations.ts'
import type { CrewStatus } from './status-table.ts'
import type { StoryLine } from './story-table.ts'

/** All that is known of a Run whose stories a crew builds. */
export interface Crew {
  readonly run: Run
  readonly tokens: number
  readonly stories: readonly Story[]
  /** Tokens of each story, by its id. */
  readonly tokensOf: ReadonlyMap<string, number>
  readonly requests: readonly Request[]
  readonly merges: readonly Merge[]
  readonly chat: readonly ChatMessage[]
  readonly open: readonly OpenEscalation[]
}

export async function readCrew(records: StateReader, run: Run): Promise<Crew> {
  const stories = (await records.machines({ kind: 'story', run: run.id })) as readonly Story[]
  const tokensOf = new Map<string, number>()
  for (const { story } of stories) {
    if (story !== null) tokensOf.set(story, (await records.totals(run.id, story)).tokens)
  }
  return {
    ...{ run, stories, tokensOf },
    tokens: (await records.totals(run.id)).tokens,
    requests: (await records.machines({ kind: 'request', run: run.id })) as readonly Request[],
    merges: (await records.machines({ kind: 'merge', run: run.id })) as readonly Merge[],
    chat: await records.chat({ run: run.id }),
    open: await openEscalations(records, run),
  }
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

/** The architect is shown as ESCALATED or REQUEST while one of its requests is. */
export function architectState(run: Run, requests: readonly Request[]): string {
  if (run.state !== 'MONITORING') return run.state
  if (requests.some(({ state }) => state === 'ESCALATED')) return 'ESCALATED'
  return requests.some(({ state }) => state === 'OPEN') ? 'REQUEST' : 'MONITORING'
}

const reviewed = ['plan', 'code', 'completion']

/** The stories as lines of a table; before any is started, as they were planned. */
export function storyLines({ run, stories, requests, tokensOf }: Crew): readonly StoryLine[] {
  const known = new Map(stories.map((story) => [story.story, story]))
  const planned = run.data.stories ?? stories.flatMap(({ data }) => data.planned ?? [])
  return planned.map(({ id, title }) => {
    const story = known.get(id)
    const reviews = requests.filter((each) => each.story === id && reviewed.includes(each.data.kind))
    const started = story !== undefined && story.data.planning > 0
    return {
      ...{ id, title, state: story?.state ?? 'QUEUED', slot: story?.data.slot ?? null },
      attempt: started ? Math.min(story.data.failures.loops + 1, limits.verifyLoops) : null,
      reviews: reviews.length,
      tokens: tokensOf.get(id) ?? 0,
    }
  })
}
