import { limits } from '../limits.ts'
import type { NamedRepository } from '../run/repository.ts'
import { capText } from '../text.ts'

/** One story of a spec, as the architect (or a human who edits the plan) writes it. */
export interface PlannedStory {
  readonly id: string
  readonly title: string
  readonly content: string
  readonly acceptance_criteria: readonly string[]
  /** Ids of the stories that must be DONE before it starts. */
  readonly depends_on: readonly string[]
  /**
   * Files that the story will probably change; two stories that share one are not started at the
   * same time if that can be avoided.
   */
  readonly files_hint: readonly string[]
  /** The further repository of the story; left out for the Run's own. */
  readonly repository?: string
  /** The person who wrote or changed the story last; left out for the architect's. */
  readonly edited_by?: string
}

/**
 * The form of ids, which appear in names of conversations, commits and refs. `task` is the id of a
 * task's only story.
 */
export const storyIdPattern = /^(?!task$)[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/

export const storyIdRule =
  'an id has at most 40 letters, digits, - and _, starts with a letter or digit, and is not `task`'

/** A story in full, for people who decide about it: its title, then each part that it has. */
export function storyParts({
  id,
  title,
  content,
  acceptance_criteria,
  depends_on,
  files_hint,
  repository,
  edited_by,
}: PlannedStory): readonly [title: string, ...parts: string[]] {
  const parts = [
    content.trim(),
    acceptance_criteria.map((criterion) => `- ${criterion}`).join('\n'),
    depends_on.length > 0 ? `after ${depends_on.join(', ')}` : '',
    files_hint.length > 0 ? `files ${files_hint.join(', ')}` : '',
    edited_by === undefined ? '' : `edited by ${edited_by}`,
  ]
  return [`${id}: ${shownTitle({ title, ...(repository !== undefined && { repository }) })}`, ...parts.filter(Boolean)]
}

/** The title for lists: preceded by the repository if that is a further one. */
export function shownTitle({ title, repository }: Pick<PlannedStory, 'title' | 'repository'>): string {
  return repository === undefined ? title : `[${repository}] ${title}`
}

/**
 * All stories as Markdown, in at most the given number of characters. If that is too few, all
 * stories are cut to the same length, with a note.
 */
export function describeStories(stories: readonly PlannedStory[], mostChars: number): string {
  const whole = stories.map((story) => storyParts(story).join('\n\n'))
  const text = whole.map((each) => `### ${each}`).join('\n\n')
  if (text.length <= mostChars) return text
  const share = Math.floor(mostChars / stories.length)
  return stories.map((story) => shortened(story, share)).join('\n\n')
}

/** The title always stays. */
function shortened(story: PlannedStory, mostChars: number): string {
  const [title, ...parts] = storyParts(story)
  const name = `### ${title.length <= limits.cutNotice ? title : `${title.slice(0, limits.cutNotice)}…`}`
  const text = parts.join('\n\n')
  const room = mostChars - name.length - limits.cutNotice
  if (text.length <= room) return `${name}\n\n${text}`
  return room < limits.cutNotice ? `${name} (${text.length} characters left out)` : `${name}\n\n${capText(text, room)}`
}

/**
 * The stories without the name of the Run's own repository, which is the first: a story without a
 * repository belongs to it.
 */
export function inOwnRepository(
  stories: readonly PlannedStory[],
  [own]: readonly NamedRepository[],
): readonly PlannedStory[] {
  return stories.map(({ repository, ...story }) =>
    repository === undefined || repository === own?.name ? story : { ...story, repository },
  )
}
