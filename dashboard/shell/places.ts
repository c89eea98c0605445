import type { RunLine } from '../../src/api/runs.ts'
import { isAlone, keepsTokens, may } from '../data/may.ts'
import { sharesWork } from '../data/workers.ts'
import type { IconName } from '../parts/icon.tsx'
import { href } from '../router.ts'

/** A page in the menu. */
export interface Place {
  readonly id: string
  readonly title: string
  readonly icon: IconName
  /** The letter for it after g. */
  readonly key?: string
}

const ofAll: readonly (Place & { readonly isFor?: () => boolean })[] = [
  { id: '', title: 'Runs', icon: 'report', key: 'r' },
  { id: 'questions', title: 'Questions', icon: 'bell', key: 'q' },
  { id: 'start', title: 'Start', icon: 'start', key: 'n', isFor: () => may('operator') },
  { id: 'compare', title: 'Compare', icon: 'figures', key: 'm' },
  { id: 'receipts', title: 'Receipts', icon: 'receipt', key: 'x' },
  { id: 'schedules', title: 'Schedules', icon: 'schedule', key: 'h' },
  { id: 'repositories', title: 'Repositories', icon: 'branch', key: 'w', isFor: isAlone },
  { id: 'benches', title: 'Benches', icon: 'figures', key: 'l', isFor: isAlone },
  { id: 'workers', title: 'Workers', icon: 'agents', key: 'o', isFor: sharesWork },
  { id: 'settings', title: 'Settings', icon: 'settings', key: 's', isFor: () => may('admin') },
  { id: 'tokens', title: 'Tokens', icon: 'key', key: 'k', isFor: keepsTokens },
]

/** The pages for all Runs that the signed-in person may see. */
export function places(): readonly Place[] {
  return ofAll.flatMap(({ isFor, ...place }) => ((isFor?.() ?? true) ? [place] : []))
}

const all: readonly Place[] = [
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

/** Pages that a Run without stories does not need. */
const without: Readonly<Record<'plan' | 'verify' | 'scout', readonly string[]>> = {
  plan: ['schedule', 'verifications', 'diff'],
  verify: ['schedule', 'agents', 'chat', 'diff', 'figures'],
  scout: ['schedule', 'agents', 'verifications', 'diff'],
}

const firstPage = { plan: 'Plan', verify: 'Verdict', scout: 'Answer' } as const

type OfKind = Pick<RunLine, 'kind' | 'plan_only'>

/** The kind of a Run that shows something else in place of a board; null for one with stories. */
export function kindWithoutBoard({ kind, plan_only }: OfKind): keyof typeof without | null {
  if (kind === 'spec') return plan_only ? 'plan' : null
  return kind === 'verify' || kind === 'scout' ? kind : null
}

/** The pages of a Run; all of them for an unknown one. */
export function placesOfRun(run: OfKind | undefined): readonly Place[] {
  const kind = run ? kindWithoutBoard(run) : null
  if (kind === null) return all
  return all
    .filter(({ id }) => !without[kind].includes(id))
    .map((place) => (place.id === '' ? { ...place, title: firstPage[kind] } : place))
}

/** The address of a page in the menu, of a Run or of all Runs. */
export function addressOf({ id }: Place, run: string | undefined): string {
  const path = run === undefined ? [] : ['runs', run]
  return href(...path, ...(id === '' ? [] : [id]))
}
