import type { Pause } from '../../api/runs.ts'
import type { EventOfType, MoveEvent } from '../../domain/event.ts'
import { type Lane, shortageOf } from '../../domain/lane/lane.ts'
import type { Merge } from '../../domain/merge/merge.ts'
import { type OpenEscalation, openEscalationsOf } from '../../domain/request/open-escalations.ts'
import type { Request } from '../../domain/request/request.ts'
import type { Spending } from '../../domain/run/budget.ts'
import { budgetNames, pausedHow, pauserName } from '../../domain/run/pause-cause.ts'
import { isHeld, type Run } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import type { Records } from '../../ports/store.ts'
import { readAnswered, readAssigned } from './open-escalations.ts'

/** The facts that pages about one Run share, read once. */
export interface RunFacts {
  readonly run: Run
  readonly stories: readonly Story[]
  readonly requests: readonly Request[]
  readonly merges: readonly Merge[]
  /** Lanes that have not ended, in order of creation. */
  readonly lanes: readonly Lane[]
  readonly spending: readonly Spending[]
  readonly toolCalls: ReadonlyMap<string | null, number>
  readonly open: readonly OpenEscalation[]
  /** Ids of messages with a stored reply that is not yet applied. */
  readonly answered: ReadonlySet<string>
  /**
   * Moves of the Run and its stories, newest first. `movesOf` has them by story; null is the key of
   * the Run's own.
   */
  readonly moves: readonly MoveEvent[]
  readonly movesOf: ReadonlyMap<string | null, readonly MoveEvent[]>
  /** The times when the Run was requested and when its stories were listed. */
  readonly startedAt: string
  readonly listedAt: string | null
  /** The time of the newest event of the Run. */
  readonly until: string
  readonly result: EventOfType<'result'> | null
}

const most = 1_000_000

export async function readRunFacts(records: Records, run: Run): Promise<RunFacts> {
  const { id } = run
  const [stories, requests, merges, lanes] = await Promise.all([
    records.machines({ kind: 'story', run: id }),
    records.machines({ kind: 'request', run: id }),
    records.machines({ kind: 'merge', run: id }),
    records.machines({ kind: 'lane', run: id, states: ['ASKING', 'ACTING', 'WAITING'] }),
  ])
  const [asked, assigned, answered, spending, toolCalls, moves, marks, [newest]] = await Promise.all([
    records.chat({ run: id, postType: 'escalate' }),
    readAssigned(records, id),
    readAnswered(records),
    records.spending(id),
    records.toolCallCounts(id),
    records.recentEvents({ run: id, types: ['state', 'run_state'], limit: most }),
    records.recentEvents({ run: id, types: ['run', 'stories', 'result'], limit: most }),
    records.recentEvents({ run: id, limit: 1 }),
  ])
  return {
    run,
    stories,
    requests,
    merges,
    lanes,
    spending,
    toolCalls,
    moves,
    answered,
    until: newest?.at ?? '',
    movesOf: Map.groupBy(moves, ({ story }) => story),
    open: openEscalationsOf({ run, stories, requests, asked, assigned }),
    startedAt: marks.at(-1)?.at ?? '',
    listedAt: marks.find(({ type }) => type === 'stories')?.at ?? null,
    result: marks.find((mark) => mark.type === 'result') ?? null,
  }
}

/** The name of whoever or whatever paused a story; null for a story that is not PAUSED. */
export function storyPauser({ run, lanes }: Pick<RunFacts, 'run' | 'lanes'>, story: Story | undefined): string | null {
  if (story?.state !== 'PAUSED') return null
  const own = lanes.filter((lane) => lane.story === story.story).flatMap(({ data }) => shortageOf(data) ?? [])
  return own.length === 0 && isHeld(run) ? pauserName(run.data.rest ?? {}) : budgetNames(own)
}

/** A person's or a signal's pause of a Run that has not ended. */
export function userPause(run: Run): Pick<Pause, 'user' | 'how'> {
  if (!isHeld(run)) return { user: null }
  return { user: run.state === 'PAUSED' ? 'paused' : 'pausing', how: pausedHow(run.data.rest ?? {}) }
}
