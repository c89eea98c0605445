import type { IconName } from '../parts/icon.tsx'

/** A page that the menu leads to. */
export interface Place {
  readonly id: string
  readonly title: string
  readonly icon: IconName
}

export const places: readonly Place[] = [
  { id: '', title: 'Runs', icon: 'report' },
  { id: 'questions', title: 'Questions', icon: 'bell' },
  { id: 'start', title: 'Start', icon: 'start' },
  { id: 'receipts', title: 'Receipts', icon: 'receipt' },
  { id: 'settings', title: 'Settings', icon: 'settings' },
]

export const placesOfRun: readonly Place[] = [
  { id: '', title: 'Board', icon: 'board' },
  { id: 'agents', title: 'Agents', icon: 'agents' },
  { id: 'chat', title: 'Chat', icon: 'chat' },
  { id: 'verifications', title: 'Verifications', icon: 'checks' },
  { id: 'activity', title: 'Activity', icon: 'activity' },
  { id: 'diff', title: 'Changes', icon: 'branch' },
  { id: 'figures', title: 'Figures', icon: 'figures' },
  { id: 'report', title: 'Report', icon: 'report' },
]
