/**
 * The names of all pages, as they stand in addresses. A page without a name here cannot be shown,
 * and the tests that visit every page take them from here.
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

/** Of a Run: `#/runs/<run>/<name>`. */
export const runPageNames = [
  '',
  'plan',
  'schedule',
  'agents',
  'chat',
  'verifications',
  'acceptance',
  'activity',
  'diff',
  'report',
  'figures',
] as const

/** Of a story: `#/runs/<run>/stories/<story>/<name>`, where the first one goes without its name. */
export const storyTabNames = ['overview', 'diff', 'verifications', 'reviews', 'scouts', 'timeline', 'cost'] as const

export type PageName = (typeof pageNames)[number]
export type RunPageName = (typeof runPageNames)[number]
export type StoryTabName = (typeof storyTabNames)[number]

/** Whether a part of an address is one of these names. */
export function isIn<Name extends string>(names: readonly Name[], name: string): name is Name {
  return (names as readonly string[]).includes(name)
}
