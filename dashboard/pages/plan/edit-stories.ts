import type { EditedStory, PlanStory } from '../../../src/api/plan.ts'

/** A story during editing. `key` stays when its id changes. */
export interface DraftStory extends EditedStory {
  readonly key: string
  /** True if the story has begun, so it is shown but cannot be edited. */
  readonly begun: boolean
}

/** A person's edits of a plan, and the plan that they are based on. */
export interface Draft {
  /** The version of the plan that the person has seen. */
  readonly version: string
  readonly base: readonly DraftStory[]
  readonly stories: readonly DraftStory[]
}

export function draftOf({
  version,
  stories,
}: {
  readonly version: string
  readonly stories: readonly PlanStory[]
}): Draft {
  const base = stories.map(({ edited_by: _, state: __, ...story }) => ({ ...story, key: story.id }))
  return { version, base, stories: base }
}

/** Converts to the API's form. */
export function toApi(stories: readonly DraftStory[]): EditedStory[] {
  return stories.map(({ key: _, begun: __, ...story }) => story)
}

export function isSame(a: DraftStory, b: DraftStory): boolean {
  return JSON.stringify(toApi([a])) === JSON.stringify(toApi([b]))
}

export interface Difference {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly dropped: readonly string[]
  readonly reordered: boolean
}

/** Ids of the stories that differ. */
export function differenceOf(before: readonly DraftStory[], after: readonly DraftStory[]): Difference {
  const [old, next] = [byId(before), byId(after)]
  const order = (some: readonly DraftStory[], others: ReadonlyMap<string, DraftStory>) =>
    some.flatMap(({ id }) => (others.has(id) ? [id] : [])).join(' ')
  return {
    added: after.flatMap(({ id }) => (old.has(id) ? [] : [id])),
    changed: after.flatMap((story) => {
      const was = old.get(story.id)
      return was === undefined || isSame(was, story) ? [] : [story.id]
    }),
    dropped: before.flatMap(({ id }) => (next.has(id) ? [] : [id])),
    reordered: order(before, next) !== order(after, old),
  }
}

export function isNothing({ added, changed, dropped, reordered }: Difference): boolean {
  return added.length + changed.length + dropped.length === 0 && !reordered
}

type Stories = readonly DraftStory[]

export function change(stories: Stories, key: string, changes: Partial<DraftStory>): Stories {
  return stories.map((story) => (story.key === key ? { ...story, ...changes } : story))
}

/** Moves a story one place up (-1) or down (1). */
export function move(stories: Stories, key: string, by: -1 | 1): Stories {
  const from = stories.findIndex((story) => story.key === key)
  const [here, there] = [stories[from], stories[from + by]]
  if (here === undefined || there === undefined) return stories
  return stories.map((story) => (story === here ? there : story === there ? here : story))
}

export function add(stories: Stories): Stories {
  const id = freeId(stories, 'story')
  const empty = { title: '', content: '', acceptance_criteria: [], depends_on: [], files_hint: [], begun: false }
  return [...stories, { ...empty, key: `new ${id}`, id }]
}

/** The ids of the stories that depend on a story and have not begun. */
export function dependentsOf(stories: Stories, id: string): readonly string[] {
  return stories.flatMap((story) => (story.depends_on.includes(id) ? [story.id] : []))
}

/** Removes a story. Its dependents then depend on its dependencies. */
export function drop(stories: Stories, key: string): Stories {
  const gone = stories.find((story) => story.key === key)
  if (gone === undefined) return stories
  return stories.flatMap((story) => (story.key === key ? [] : [relinked(story, gone.id, gone.depends_on)]))
}

/**
 * The second half of a story's criteria becomes a new story, which is built after it; its
 * dependents then depend on both.
 */
export function split(stories: Stories, key: string): Stories {
  const whole = stories.find((story) => story.key === key)
  if (whole === undefined) return stories
  const id = freeId(stories, whole.id)
  const half = Math.ceil(whole.acceptance_criteria.length / 2)
  const { repository } = whole
  const second: DraftStory = {
    key: `new ${id}`,
    id,
    title: freeTitle(stories, whole.title),
    content: whole.content,
    begun: false,
    acceptance_criteria: whole.acceptance_criteria.slice(half),
    depends_on: [whole.id],
    files_hint: whole.files_hint,
    ...(repository !== undefined && { repository }),
  }
  return stories.flatMap((story) => {
    if (story.key === key) return [{ ...story, acceptance_criteria: story.acceptance_criteria.slice(0, half) }, second]
    return [relinked(story, whole.id, [whole.id, id])]
  })
}

/** Joins two stories into the first one; the second one's dependents then depend on it. */
export function merge(stories: Stories, key: string, other: string): Stories {
  const [into, from] = [stories.find((story) => story.key === key), stories.find((story) => story.key === other)]
  if (into === undefined || from === undefined || into === from) return stories
  const both: DraftStory = {
    ...into,
    content: [into.content, from.content].filter((text) => text.trim() !== '').join('\n\n'),
    acceptance_criteria: union(into.acceptance_criteria, from.acceptance_criteria),
    depends_on: union(into.depends_on, from.depends_on).filter((id) => id !== into.id && id !== from.id),
    files_hint: union(into.files_hint, from.files_hint),
  }
  return stories.flatMap((story) => {
    if (story === from) return []
    return [story === into ? both : relinked(story, from.id, [into.id])]
  })
}

/**
 * A person's changes on top of somebody else's changes to the same plan. `both` lists the stories
 * that both people have changed; there the person's fields win.
 */
export function rebase(
  { base, stories: mine }: Pick<Draft, 'base' | 'stories'>,
  theirs: Stories,
): { readonly stories: Stories; readonly both: readonly string[] } {
  const [old, now, own] = [byId(base), byId(theirs), byId(mine)]
  const both: string[] = []
  const kept = mine.flatMap((story) => {
    const [was, other] = [old.get(story.id), now.get(story.id)]
    if (was === undefined) return [story]
    if (other === undefined) return isSame(story, was) ? [] : [story]
    if (other.begun || isSame(story, was)) return [other]
    if (isSame(other, was)) return [story]
    both.push(story.id)
    return [fields(was, story, other)]
  })
  const added = theirs.filter(({ id }) => !old.has(id) && !own.has(id))
  return { stories: [...kept, ...added], both }
}

function fields(was: DraftStory, mine: DraftStory, theirs: DraftStory): DraftStory {
  const names = Object.keys(mine) as (keyof DraftStory)[]
  const changed = names.filter((name) => JSON.stringify(mine[name]) !== JSON.stringify(was[name]))
  return { ...theirs, ...Object.fromEntries(changed.map((name) => [name, mine[name]])) }
}

function relinked(story: DraftStory, from: string, to: readonly string[]): DraftStory {
  if (story.begun || !story.depends_on.includes(from)) return story
  const next = story.depends_on.flatMap((id) => (id === from ? to : [id])).filter((id) => id !== story.id)
  return { ...story, depends_on: [...new Set(next)] }
}

function union(a: readonly string[], b: readonly string[]): string[] {
  return [...new Set([...a, ...b])]
}

function freeTitle(stories: Stories, title: string): string {
  const taken = new Set(stories.map((story) => story.title.trim().toLowerCase()))
  for (let n = 2; ; n++) {
    const next = `${title.trim()}, part ${n}`
    if (!taken.has(next.toLowerCase())) return next
  }
}

/** Ids have at most 40 characters. */
function freeId(stories: Stories, stem: string): string {
  const taken = new Set(stories.map(({ id }) => id))
  for (let n = 2; ; n++) {
    const id = `${stem.slice(0, 36)}-${n}`
    if (!taken.has(id)) return id
  }
}

function byId(stories: Stories): ReadonlyMap<string, DraftStory> {
  return new Map(stories.map((story) => [story.id, story]))
}
