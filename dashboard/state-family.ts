import type { RunLine } from '../src/api/runs.ts'
import { may } from './data/may.ts'

/** The families by which states are coloured and sorted. */
export type Family = 'waiting' | 'planning' | 'building' | 'verifying' | 'reviewing' | 'attention' | 'done'

/** The families in the order of the board. A viewer cannot answer, so nothing needs a viewer. */
export const familiesNow = (): readonly { readonly id: Family; readonly title: string }[] => [
  { id: 'attention', title: may('operator') ? 'Needs you' : 'For operators' },
  { id: 'waiting', title: 'Waiting' },
  { id: 'planning', title: 'Planning' },
  { id: 'building', title: 'Building' },
  { id: 'verifying', title: 'Verifying' },
  { id: 'reviewing', title: 'Review, merge' },
  { id: 'done', title: 'Done' },
]

const familyOf: Readonly<Record<string, Family>> = {
  SETUP: 'planning',
  PLANNING: 'planning',
  PLAN_REVIEW: 'planning',
  INTERVIEW: 'planning',
  SCOPING: 'planning',
  STORY_GENERATION: 'planning',
  CODING: 'building',
  QUESTION: 'building',
  BUDGET_REVIEW: 'building',
  MONITORING: 'building',
  REQUEST: 'reviewing',
  OPEN: 'building',
  RUNNING: 'verifying',
  VERIFYING: 'verifying',
  CODE_REVIEW: 'reviewing',
  COMPLETION_REVIEW: 'reviewing',
  ACCEPTANCE_REVIEW: 'reviewing',
  MERGING: 'reviewing',
  NEEDS_CHANGES: 'reviewing',
  ESCALATED: 'attention',
  AWAIT_APPROVAL: 'attention',
  PAUSED: 'waiting',
  STUCK: 'attention',
  INFRA_ERROR: 'attention',
  REJECTED: 'attention',
  ERROR: 'attention',
  FAIL: 'attention',
  NO_CHANGE: 'attention',
  TOO_VAGUE: 'attention',
  FINDINGS: 'attention',
  HELD: 'attention',
  SKIPPED: 'attention',
  NOT_APPLIED: 'attention',
  WAITS_FOR_YOU: 'attention',
  INTERRUPTED: 'attention',
  BUDGET_REACHED: 'attention',
  PAUSING: 'waiting',
  SILENT: 'attention',
  LOST: 'attention',
  DRAINING: 'reviewing',
  WORKING: 'done',
  DONE: 'done',
  MERGED: 'done',
  PASS: 'done',
  APPROVED: 'done',
  ANSWERED: 'done',
  RESOLVED: 'done',
  FALSE_PASS: 'attention',
  FALSE_BLOCK: 'attention',
  // States of criteria.
  written: 'planning',
  'red on base': 'verifying',
  'green on base': 'verifying',
  met: 'done',
  'not met': 'attention',
  disputed: 'attention',
}

/** The badge of a Run: its state while it works, then its outcome. */
export function badgeOf({ state, outcome: { code } }: Pick<RunLine, 'state' | 'outcome'>): string {
  return code === 'WORKING' || code === 'QUEUED' ? state : code
}

/** States of a story in which work has ended, and its time no longer counts. */
export const ended: readonly string[] = [
  'DONE',
  'STUCK',
  'INFRA_ERROR',
  'REJECTED',
  'NO_CHANGE',
  'CANCELLED',
  'DROPPED',
]

/** A state without a family counts as waiting. */
export function family(state: string): Family {
  return familyOf[state] ?? 'waiting'
}

/** A readable label: `CODE_REVIEW` becomes "Code review". */
export function stateLabel(state: string): string {
  if (state === 'INFRA_ERROR') return 'Infra error'
  const words = state.toLowerCase().replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
