/**
 * The names of all pages in addresses. Only named pages can be shown, and the tests that visit
 * every page use this list.
 */
export const pageNames = [
  '',
  'questions',
  'start',
  'compare',
  'settings',
  'tokens',
  'workers',
  'repositories',
  'benches',
  'receipts',
  'schedules',
] as const

/** The pages of a Run: `#/runs/<run>/<name>`. */
export const runPageNames = [
  '',
  'plan',
  'schedule',
  'agents',
  'chat',
  'verifications',
  'activity',
  'diff',
  'report',
  'figures',
] as const

/**
 * The tabs of a story: `#/runs/<run>/stories/<story>/<name>`; the first one is shown without its
 * name.
 */
export const storyTabNames = ['overview', 'diff', 'verifications', 'reviews', 'scouts', 'timeline', 'cost'] as const

export type PageName = (typeof pageNames)[number]
export type RunPageName = (typeof runPageNames)[number]
export type StoryTabName = (typeof storyTabNames)[number]

/** True if a part of an address is one of these names. */
export function isIn<Name extends string>(names: readonly Name[], name: string): name is Name {
  return (names as readonly string[]).includes(name)
}
