import { type ErrorCode, errorCatalogue } from '../domain/drydock-error.ts'
import type { JsonObject } from '../domain/json.ts'

/** A `result` event's data, as far as people and exit codes need it. */
export interface Result {
  readonly status: string
  readonly kind: string
  readonly branch: string | null
  readonly base: string | null
  readonly stories: readonly StoryResult[]
  readonly tokens: number
  readonly cost_usd: number | null
  readonly applied?: readonly string[]
  readonly diff?: string
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly todo: string }
  readonly answer?: unknown
  /** In PAUSED: whom it waits for, and the bounds that are reached. */
  readonly paused_by?: 'user' | 'budget'
  readonly paused?: readonly (JsonObject & { readonly story: string | null })[]
}

export interface StoryResult {
  readonly id: string
  readonly state: string
  readonly run_id: string | null
  readonly attempts: number
  /** The next four of a crew's only. */
  readonly title?: string
  readonly reviews?: number
  readonly tokens?: number
  readonly cost_usd?: number | null
  readonly summary?: string
  readonly outside_plan?: readonly string[]
  /** Of the gate, accepted or open. */
  readonly findings?: readonly {
    readonly id: string
    readonly state: 'open' | 'accepted'
    readonly claim: string
  }[]
  readonly stuck_report?: string
  readonly error_type?: string
  readonly error_message?: string
}

/** What stands for the result of a Run that waits for a human who is not waited for. */
export const waitingForHuman = 'waiting for a human'

/** It waits for the human who has paused it; whoever follows it waits, too, unless nobody is to be waited for. */
export function isPausedByHand({ status, paused_by }: Result): boolean {
  return status === 'PAUSED' && paused_by === 'user'
}

/** Ids of the gate's findings that nobody has accepted: only a task ends with any, for it has no reviewer. */
export function openFindings({ kind, stories }: Result): readonly string[] {
  if (kind !== 'task') return []
  return stories.flatMap(({ findings = [] }) => findings.filter(({ state }) => state === 'open').map(({ id }) => id))
}

/** The exit code that a result means, as README.md lists them. */
export function exitCodeOf(result: Result | typeof waitingForHuman): number {
  if (result === waitingForHuman) return 6
  if (result.error) return errorCatalogue[result.error.code].exit
  switch (result.status) {
    case 'DONE':
      return result.stories.some(({ state }) => state === 'CANCELLED') || openFindings(result).length > 0 ? 3 : 0
    case 'PASS':
      return 0
    case 'STUCK':
    case 'REJECTED':
    case 'FAIL':
      return 3
    case 'INFRA_ERROR':
    case 'ERROR':
      return 4
    case 'PAUSED':
      return isPausedByHand(result) ? 6 : 7
    case 'CANCELLED':
      return 5
    default:
      return 1
  }
}
