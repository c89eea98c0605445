import type { Schedule } from '../../../api/schedule.ts'
import { endStates } from '../../../domain/story/story-machine.ts'
import type { CrewDays, StoryDays } from './crew-days.ts'
import { doneAt } from './story-spans.ts'

type Step = Schedule['critical_path'][number]

/**
 * The chain of stories that determined the duration of the Run: from its last story back to the
 * story that it waited for, and so on. With open stories, ends with the longest chain of open ones.
 */
export function criticalPath({ stories }: CrewDays): readonly Step[] {
  const byId = new Map(stories.map((story) => [story.story, story]))
  const steps: Step[] = []
  const seen = new Set<string>()
  let at = lastOf(stories, byId)
  while (at !== null && !seen.has(at.story)) {
    seen.add(at.story)
    const before = beforeOf(at, stories, byId)
    steps.unshift({ story: at.story, after: before?.after ?? 'start', why: before?.why ?? 'It could start at once.' })
    at = before?.story ?? null
  }
  return steps
}

type ById = ReadonlyMap<string, StoryDays>

function lastOf(stories: readonly StoryDays[], byId: ById): StoryDays | null {
  const open = stories.filter(({ endedAt }) => endedAt === null)
  if (open.length === 0) {
    return stories.reduce<StoryDays | null>((last, story) => (isLater(story, last) ? story : last), null)
  }
  const chains = new Map<string, number>()
  const chain = (story: StoryDays, way: ReadonlySet<string>): number => {
    const known = chains.get(story.story)
    if (known !== undefined) return known
    const needed = openNeeds(story, byId).filter((other) => !way.has(other.story))
    const length = 1 + Math.max(0, ...needed.map((other) => chain(other, new Set([...way, story.story]))))
    chains.set(story.story, length)
    return length
  }
  return open.reduce<StoryDays | null>((last, story) => {
    if (last === null) return story
    const [a, b] = [chain(story, new Set()), chain(last, new Set())]
    return a > b || (a === b && (story.startedAt ?? '') < (last.startedAt ?? '') && story.startedAt !== null)
      ? story
      : last
  }, null)
}

function isLater({ endedAt }: StoryDays, than: StoryDays | null): boolean {
  return than === null || (endedAt ?? '') > (than.endedAt ?? '')
}

function openNeeds({ depends_on }: StoryDays, byId: ById): readonly StoryDays[] {
  return depends_on.flatMap((id) => byId.get(id) ?? []).filter(({ endedAt }) => endedAt === null)
}

interface Before extends Step {
  readonly after: 'dependency' | 'workspace'
}

/**
 * The last story that this one waited for: a dependency, or the previous holder of its workspace.
 */
function beforeOf(
  story: StoryDays,
  stories: readonly StoryDays[],
  byId: ById,
): (Omit<Before, 'story'> & { readonly story: StoryDays }) | null {
  const open = openNeeds(story, byId)
  const [stillOpen] = open.toSorted((a, b) => openNeeds(b, byId).length - openNeeds(a, byId).length)
  if (stillOpen)
    return { story: stillOpen, after: 'dependency', why: `It needs ${stillOpen.story}, which is not done.` }
  const needed = story.depends_on.flatMap((id) => byId.get(id) ?? [])
  const dependency = needed.reduce<StoryDays | null>((last, each) => (isLater(each, last) ? each : last), null)
  const start = story.startedAt
  const ready = dependency === null ? '' : (doneAt(dependency) ?? '')
  const listed = story.stays[0]?.from ?? ''
  const freed = stories
    .filter((other) => other !== story)
    .map((other) => ({ story: other, at: start === null ? '' : leftBy(other, start) }))
    .reduce<{ readonly story: StoryDays; readonly at: string } | null>(
      (best, each) => (each.at > (best?.at ?? '') ? each : best),
      null,
    )
  if (freed !== null && freed.story !== dependency && freed.at > ready && freed.at > listed) {
    const why = `It waited for a workspace until ${freed.story.story} left its own.`
    return { story: freed.story, after: 'workspace', why }
  }
  if (dependency === null) return null
  return { story: dependency, after: 'dependency', why: `It needs ${dependency.story}, which was done last.` }
}

/**
 * The last time before a moment at which a story left its workspace, because it was approved or
 * ended. Empty if it never did.
 */
function leftBy({ stays }: StoryDays, moment: string): string {
  const left = stays.findLast(({ state, from }) => from <= moment && (state === 'MERGING' || endStates.includes(state)))
  return left?.from ?? ''
}
