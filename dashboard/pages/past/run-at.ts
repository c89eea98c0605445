import type { KeptState, Moment } from '../../../src/api/history.ts'
import type { WholeHistory } from '../../data/history.ts'

/** A story at that moment. */
export interface StoryAt {
  readonly id: string
  readonly state: string
  /**
   * The numbers of verifications and reviews until then, and the result of the last verification.
   */
  readonly verifications: number
  readonly reviews: number
  readonly status: NonNullable<Moment['status']> | null
  /** Dollars of the calls with a known price; `unpriced` counts the others. */
  readonly cost_usd: number
  readonly tokens: number
  readonly calls: number
  readonly unpriced: number
  /** The last commit that holds its work at that moment; null before the first one. */
  readonly kept: KeptState | null
}

/** A conversation at that moment: its last completed and its next activity. */
export interface LaneAt {
  readonly lane: string
  readonly story: string | null
  readonly last: Moment
  readonly next: Moment | null
}

/** A Run right after one of its events. */
export interface RunAt {
  readonly moment: Moment
  /** Null before its first transition. */
  readonly state: string | null
  readonly cost_usd: number
  readonly tokens: number
  readonly calls: number
  readonly unpriced: number
  readonly stories: readonly StoryAt[]
  readonly lanes: readonly LaneAt[]
}

/** The history of a Run, indexed so that the state at any moment is found without replaying it. */
export interface Past {
  readonly moments: readonly Moment[]
  /** `n` counts from 0. */
  readonly at: (n: number) => RunAt
  /** The index of the moment with an id, or of the last one before it. */
  readonly find: (id: number) => number
}

export function pastOf({ moments, kept }: WholeHistory): Past {
  const ofRun = createTrack()
  const ofStory = new Map<string, Track>()
  const ofLane = new Map<string, number[]>()
  const listed: { readonly n: number; readonly stories: readonly string[] }[] = []
  moments.forEach((moment, n) => {
    addTo(ofRun, moment, n)
    if (moment.story !== null) addTo(found(ofStory, moment.story, createTrack), moment, n)
    if (moment.lane !== undefined) found(ofLane, moment.lane, () => [] as number[]).push(n)
    if (moment.stories !== undefined) listed.push({ n, stories: moment.stories })
  })
  const keptOf = Map.groupBy(kept, ({ story }) => story)
  const storiesAt = (n: number): readonly string[] => {
    const planned = listed.findLast((each) => each.n <= n)?.stories ?? []
    const begun = [...ofStory].flatMap(([id, { all }]) => ((all[0] ?? n + 1) <= n ? [id] : []))
    return [...new Set([...planned, ...begun])]
  }
  return {
    moments,
    find: (id) =>
      Math.max(
        0,
        upTo(moments, ({ id: each }) => each <= id),
      ),
    at(n) {
      const moment = moments[n]
      if (moment === undefined) throw new Error(`no moment ${n}`)
      const own = factsOf(ofRun, moments, n)
      return {
        moment,
        state: ofRun.ownStates[upToNumber(ofRun.ownMoves, n)] ?? null,
        cost_usd: own.cost_usd,
        tokens: own.tokens,
        calls: own.calls,
        unpriced: own.unpriced,
        stories: storiesAt(n).map((id) => {
          const track = ofStory.get(id)
          const facts = factsOf(track ?? createTrack(), moments, n)
          const commits = keptOf.get(id) ?? []
          const last = upTo(commits, ({ at }) => at <= moment.at)
          const state = track?.states[upToNumber(track.moves, n)] ?? 'QUEUED'
          return { id, ...facts, state, kept: commits[last] ?? null }
        }),
        lanes: [...ofLane].flatMap(([lane, all]) => laneAt(moments, { lane, all, n })),
      }
    },
  }
}

/** Ascending indexes of moments, and the facts that hold from each of them on. */
interface Track {
  readonly all: number[]
  readonly moves: number[]
  readonly states: string[]
  readonly ownMoves: number[]
  readonly ownStates: string[]
  readonly verdicts: number[]
  readonly reviews: number[]
  readonly calls: number[]
  readonly costs: number[]
  readonly tokens: number[]
  readonly unpriced: number[]
}

function createTrack(): Track {
  return {
    all: [],
    moves: [],
    states: [],
    ownMoves: [],
    ownStates: [],
    verdicts: [],
    reviews: [],
    calls: [],
    costs: [],
    tokens: [],
    unpriced: [],
  }
}

function addTo(track: Track, moment: Moment, n: number): void {
  track.all.push(n)
  if (moment.state !== undefined) {
    track[moment.story === null ? 'ownMoves' : 'moves'].push(n)
    track[moment.story === null ? 'ownStates' : 'states'].push(moment.state)
  }
  if (moment.mark === 'verdict') track.verdicts.push(n)
  if (moment.mark === 'review') track.reviews.push(n)
  if (moment.cost_usd === undefined) return
  track.calls.push(n)
  track.costs.push((track.costs.at(-1) ?? 0) + (moment.cost_usd ?? 0))
  track.unpriced.push((track.unpriced.at(-1) ?? 0) + (moment.cost_usd === null && moment.tokens !== 0 ? 1 : 0))
  track.tokens.push((track.tokens.at(-1) ?? 0) + (moment.tokens ?? 0))
}

function factsOf(track: Track, moments: readonly Moment[], n: number) {
  const call = upToNumber(track.calls, n)
  const verdict = upToNumber(track.verdicts, n)
  return {
    cost_usd: track.costs[call] ?? 0,
    tokens: track.tokens[call] ?? 0,
    calls: call + 1,
    unpriced: track.unpriced[call] ?? 0,
    verifications: verdict + 1,
    reviews: upToNumber(track.reviews, n) + 1,
    status: moments[track.verdicts[verdict] ?? -1]?.status ?? null,
  }
}

interface Lane {
  readonly lane: string
  readonly all: readonly number[]
  readonly n: number
}

/** None before its start and after its end. */
function laneAt(moments: readonly Moment[], { lane, all, n }: Lane): readonly LaneAt[] {
  const last = upToNumber(all, n)
  const [before, after] = [moments[all[last] ?? -1], moments[all[last + 1] ?? -1] ?? null]
  if (before === undefined || (after === null && all[last] !== n)) return []
  return [{ lane, story: before.story, last: before, next: after }]
}

/** The last index of a sorted list at which a condition holds; -1 if there is none. */
function upTo<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(items[middle] as Item)) low = middle + 1
    else high = middle
  }
  return low - 1
}

const upToNumber = (numbers: readonly number[], n: number) => upTo(numbers, (each) => each <= n)

function found<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const known = map.get(key) ?? create()
  map.set(key, known)
  return known
}
