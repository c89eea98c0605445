import type { EventOfType } from '../../../domain/event.ts'
import type { RunState } from '../../../domain/run/run-machine.ts'
import { endStates, type StoryEvent, type StoryState } from '../../../domain/story/story-machine.ts'
import type { Records } from '../../../ports/store.ts'
import type { RunFacts } from '../run-facts.ts'

/** A span of time in one state. The last span lasts until the end. */
export interface Stay<State extends string> {
  readonly state: State
  /** The event that led to the state; null for the first one. */
  readonly event: string | null
  readonly from: string
  readonly to: string
}

export interface StoryDays {
  readonly story: string
  readonly title: string
  readonly state: StoryState
  readonly depends_on: readonly string[]
  readonly stays: readonly Stay<StoryState>[]
  /** The time when its first workspace was assigned; null until then. */
  readonly startedAt: string | null
  /** The time when it ended; null until then. */
  readonly endedAt: string | null
  /** Events about merges and pauses. */
  readonly marks: readonly Mark[]
}

type Mark = EventOfType<'merge' | 'paused' | 'suspended' | 'resumed'>

/** The states of a Run and of each of its stories over time. */
export interface CrewDays {
  readonly from: string
  readonly to: string
  readonly run: readonly Stay<RunState>[]
  readonly stories: readonly StoryDays[]
}

type StoryPlan = Pick<StoryDays, 'story' | 'title' | 'state' | 'depends_on'>

const most = 1_000_000

export async function readCrewDays(
  records: Records,
  facts: RunFacts,
  { planned, to }: { readonly planned: readonly StoryPlan[]; readonly to: string },
): Promise<CrewDays> {
  const types = ['merge', 'paused', 'suspended', 'resumed'] as const
  const marks = (await records.recentEvents({ run: facts.run.id, types, limit: most })).toReversed()
  const marksOf = Map.groupBy(marks, ({ story }) => story)
  const ofRun = (marksOf.get(null) ?? []).filter(({ type }) => type === 'paused')
  const runMoves = (facts.movesOf.get(null) ?? []).toReversed()
  const from = facts.startedAt || runMoves[0]?.at || to
  return {
    from,
    to,
    run: staysOf<RunState>(runMoves, { from, to, first: 'WAITING' }),
    stories: planned.map((story) => {
      const moves = (facts.movesOf.get(story.story) ?? []).toReversed()
      const stays = staysOf<StoryState>(moves, { from: facts.listedAt ?? moves[0]?.at ?? to, to, first: 'QUEUED' })
      const last = stays.at(-1)
      return {
        ...story,
        stays,
        startedAt: stays.find(({ event }) => event === ('slot_assigned' satisfies StoryEvent))?.from ?? null,
        endedAt: last && endStates.includes(last.state) ? last.from : null,
        marks: [...ofRun, ...(marksOf.get(story.story) ?? [])].toSorted((a, b) => a.id - b.id),
      }
    }),
  }
}

interface Move {
  readonly at: string
  readonly data: { readonly from: string; readonly event: string; readonly to: string }
}

function staysOf<State extends string>(
  moves: readonly Move[],
  { from, to, first }: { readonly from: string; readonly to: string; readonly first: State },
): readonly Stay<State>[] {
  const starts = [
    { state: moves[0]?.data.from ?? first, event: null, from },
    ...moves.map(({ at, data }) => ({ state: data.to, event: data.event, from: at })),
  ]
  return starts.map((start, i) => ({ ...start, state: start.state as State, to: starts[i + 1]?.from ?? to }))
}
