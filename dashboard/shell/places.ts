import type { IconName } from '../parts/icon.tsx'
import { href } from '../router.ts'

/** A page that the menu leads to. */
export interface Place {
  readonly id: string
  readonly title: string
  readonly icon: IconName
  /** What leads to it after a g. */
  readonly key?: string
}

export const places: readonly Place[] = [
  { id: '', title: 'Runs', icon: 'report', key: 'r' },
  { id: 'questions', title: 'Questions', icon: 'bell', key: 'q' },
  { id: 'start', title: 'Start', icon: 'start', key: 'n' },
  { id: 'settings', title: 'Settings', icon: 'settings', key: 's' },
]

export const placesOfRun: readonly Place[] = [
  { id: '', title: 'Board', icon: 'board', key: 'b' },
  { id: 'schedule', title: 'Schedule', icon: 'schedule', key: 't' },
  { id: 'agents', title: 'Agents', icon: 'agents', key: 'a' },
  { id: 'chat', title: 'Chat', icon: 'chat', key: 'c' },
  { id: 'verifications', title: 'Verifications', icon: 'checks', key: 'v' },
  { id: 'activity', title: 'Activity', icon: 'activity', key: 'e' },
  { id: 'diff', title: 'Changes', icon: 'branch', key: 'd' },
  { id: 'figures', title: 'Figures', icon: 'figures', key: 'f' },
  { id: 'report', title: 'Report', icon: 'report', key: 'p' },
]

/** The address of a page that the menu leads to, of a Run or of all. */
export function addressOf({ id }: Place, run: string | undefined): string {
  const path = run === undefined ? [] : ['runs', run]
  return href(...path, ...(id === '' ? [] : [id]))
}
