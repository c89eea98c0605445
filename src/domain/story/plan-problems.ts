import { limits } from '../limits.ts'
import type { NamedRepository } from '../run/repository.ts'
import { type PlannedStory, storyIdPattern, storyIdRule } from './planned-story.ts'

/** The field of a story that a problem is about. */
export const planFields = ['id', 'title', 'content', 'acceptance_criteria', 'depends_on', 'repository'] as const

export type PlanField = (typeof planFields)[number]

/** A reason why a set of stories cannot be built. */
export interface PlanProblem {
  /** Index of the story in the set; null for a problem of the whole set. */
  readonly story: number | null
  readonly field: PlanField | null
  /** One sentence, without its full stop. */
  readonly message: string
}

/** The problems of a set of stories as sentences, each once; see `planProblems`. */
export function problemsOf(
  stories: readonly PlannedStory[],
  repositories: readonly NamedRepository[] = [],
): readonly string[] {
  return [...new Set(planProblems(stories, repositories).map(({ message }) => message))]
}

/**
 * The problems of a set of stories, each with its story and field; empty if the set can be built.
 * `repositories` are those of the Run, if it has several.
 */
export function planProblems(
  stories: readonly PlannedStory[],
  repositories: readonly NamedRepository[] = [],
): readonly PlanProblem[] {
  if (stories.length === 0) return [whole('there are no stories')]
  const ids = stories.map(({ id }) => id)
  const titles = stories.map(({ title }) => title.trim().toLowerCase())
  return [
    ...(stories.length > limits.stories ? [whole(`there are more than ${limits.stories} stories`)] : []),
    ...stories.flatMap(({ id }, i) =>
      storyIdPattern.test(id) ? [] : [at(i, 'id', `the id "${id}" cannot be used: ${storyIdRule}`)],
    ),
    ...repeated(ids).map((i) => at(i, 'id', `two stories have the id "${ids[i]}"`)),
    ...stories.flatMap(({ id, title }, i) =>
      title.trim() === '' ? [at(i, 'title', `story "${id}" has no title`)] : [],
    ),
    ...repeated(titles).map((i) =>
      at(i, 'title', `two stories have the title "${titles[i]}": name the difference, or make them one story`),
    ),
    ...stories.flatMap(({ id, acceptance_criteria }, i) =>
      acceptance_criteria.some((criterion) => criterion.trim() !== '')
        ? []
        : [at(i, 'acceptance_criteria', `story "${id}" has no acceptance criterion`)],
    ),
    ...stories.flatMap(({ id, depends_on }, i) =>
      depends_on
        .filter((other) => !ids.includes(other))
        .map((other) => at(i, 'depends_on', `story "${id}" depends on "${other}", which is not a story`)),
    ),
    ...stories.flatMap(({ id, repository }, i) =>
      repository === undefined || repositories.some(({ name }) => name === repository)
        ? []
        : [
            at(
              i,
              'repository',
              `story "${id}" is for the repository "${repository}", which ${namesOnly(repositories)}`,
            ),
          ],
    ),
    ...cycles(stories),
  ]
}

const whole = (message: string): PlanProblem => ({ story: null, field: null, message })

const at = (story: number, field: PlanField, message: string): PlanProblem => ({ story, field, message })

function namesOnly(repositories: readonly NamedRepository[]): string {
  if (repositories.length === 0) return 'the spec does not name'
  return `is none of ${repositories.map(({ name }) => name).join(', ')}`
}

/** The indexes of repeated values. Empty values do not count. */
function repeated(values: readonly string[]): readonly number[] {
  return values.flatMap((value, i) => (value !== '' && values.indexOf(value) < i ? [i] : []))
}

/**
 * Stories that wait for each other: the rest after all stories that can be built are taken away.
 */
function cycles(stories: readonly PlannedStory[]): readonly PlanProblem[] {
  const known = new Set(stories.map(({ id }) => id))
  let left = stories
  for (;;) {
    const open = new Set(left.map(({ id }) => id))
    const next = left.filter(({ depends_on }) => depends_on.some((id) => known.has(id) && open.has(id)))
    if (next.length === left.length) break
    left = next
  }
  const message = `these stories wait for each other: ${left.map(({ id }) => id).join(', ')}`
  return left.map((story) => at(stories.indexOf(story), 'depends_on', message))
}
