import { canonicalJson } from '../canonical-json.ts'
import type { Json } from '../json.ts'
import type { PlanProblem } from './plan-problems.ts'
import type { PlannedStory } from './planned-story.ts'
import type { Story } from './story.ts'

/** The changes that a person made to a plan. Ids of stories. */
export interface PlanChanges {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly dropped: readonly string[]
  /** True if the remaining stories are in another order. */
  readonly reordered: boolean
}

export function changesOf(before: readonly PlannedStory[], after: readonly PlannedStory[]): PlanChanges {
  const [old, next] = [byId(before), byId(after)]
  const added = after.flatMap(({ id }) => (old.has(id) ? [] : [id]))
  const dropped = before.flatMap(({ id }) => (next.has(id) ? [] : [id]))
  const changed = after.flatMap((story) => {
    const was = old.get(story.id)
    return was === undefined || isSame(was, story) ? [] : [story.id]
  })
  const stayed = (some: readonly PlannedStory[], others: ReadonlyMap<string, PlannedStory>) =>
    some.flatMap(({ id }) => (others.has(id) ? [id] : [])).join(' ')
  return { added, changed, dropped, reordered: stayed(before, next) !== stayed(after, old) }
}

export function isNothing({ added, changed, dropped, reordered }: PlanChanges): boolean {
  return added.length + changed.length + dropped.length === 0 && !reordered
}

/** The stories with the names of their editors; an unchanged story keeps its name. */
export function writtenBy(
  before: readonly PlannedStory[],
  after: readonly PlannedStory[],
  author: string,
): readonly PlannedStory[] {
  const old = byId(before)
  return after.map((story) => {
    const was = old.get(story.id)
    return was !== undefined && isSame(was, story) ? was : { ...withoutEditor(story), edited_by: author }
  })
}

/** True if no step of a story has begun, and nothing of it is kept from an earlier try. */
export function isUntouched({ state, data }: Pick<Story, 'state' | 'data'>): boolean {
  const waits = state === 'QUEUED' || state === 'BLOCKED'
  return waits && data.slot === null && data.retries === 0 && data.plans.length === 0 && data.snapshot === null
}

/**
 * The problems of editing a plan while a Run builds it: a story that has begun must not change, and
 * the id of a dropped one must not be reused.
 */
export function touchedProblems(
  before: readonly PlannedStory[],
  after: readonly PlannedStory[],
  stories: readonly Pick<Story, 'story' | 'state' | 'data'>[],
): readonly PlanProblem[] {
  const { added, changed, dropped } = changesOf(before, after)
  const known = new Map(stories.map((story) => [story.story, story]))
  const begun = (id: string) => {
    const story = known.get(id)
    return story !== undefined && !isUntouched(story) ? story.state : null
  }
  const place = (id: string) => after.findIndex((story) => story.id === id)
  return [
    ...changed.flatMap((id) => {
      const state = begun(id)
      return state === null
        ? []
        : [problem(place(id), null, `story "${id}" has begun (${state}), so it stays as it was`)]
    }),
    ...dropped.flatMap((id) => {
      const state = begun(id)
      return state === null ? [] : [problem(null, null, `story "${id}" has begun (${state}), so it cannot be dropped`)]
    }),
    ...added.flatMap((id) =>
      known.has(id) ? [problem(place(id), 'id', `a story with the id "${id}" was dropped: take another id`)] : [],
    ),
  ]
}

function problem(story: number | null, field: PlanProblem['field'], message: string): PlanProblem {
  return { story, field, message }
}

function byId(stories: readonly PlannedStory[]): ReadonlyMap<string, PlannedStory> {
  return new Map(stories.map((story) => [story.id, story]))
}

function withoutEditor({ edited_by: _, ...story }: PlannedStory): PlannedStory {
  return story
}

/** Compares stories, ignoring their editors. */
function isSame(a: PlannedStory, b: PlannedStory): boolean {
  const text = (story: PlannedStory) => canonicalJson(withoutEditor(story) as unknown as Json)
  return text(a) === text(b)
}
