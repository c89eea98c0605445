import type { Claim } from '../claim.ts'
import { type TestCounts, testsRemark } from '../verification/tests-seen.ts'
import { isEnded, pausedBy, type Run } from './run.ts'

/** What a Run has come to. `waiting` needs a person, `bad` failed or fell short. */
export const outcomeTones = ['good', 'bad', 'waiting', 'neutral'] as const

export const outcomeCodes = [
  'DONE',
  'PASS',
  'FINDINGS',
  'SKIPPED',
  'NOT_APPLIED',
  'NO_CHANGE',
  'FAIL',
  'STUCK',
  'REJECTED',
  'INFRA_ERROR',
  'ERROR',
  'CANCELLED',
  'PAUSED',
  'BUDGET_REACHED',
  'WAITS_FOR_YOU',
  'INTERRUPTED',
  'PAUSING',
  'QUEUED',
  'WORKING',
] as const

export type OutcomeCode = (typeof outcomeCodes)[number]

/** The one thing that is said of a Run, in the same words wherever it is shown. */
export interface Outcome {
  readonly code: OutcomeCode
  /** One sentence for people. */
  readonly sentence: string
  readonly tone: (typeof outcomeTones)[number]
}

const tones: Readonly<Record<OutcomeCode, Outcome['tone']>> = {
  ...{ DONE: 'good', PASS: 'good' },
  ...{ FINDINGS: 'bad', SKIPPED: 'bad', NOT_APPLIED: 'bad', NO_CHANGE: 'bad', FAIL: 'bad' },
  ...{ STUCK: 'bad', REJECTED: 'bad', INFRA_ERROR: 'bad', ERROR: 'bad' },
  ...{ PAUSED: 'waiting', BUDGET_REACHED: 'waiting', WAITS_FOR_YOU: 'waiting', INTERRUPTED: 'waiting' },
  ...{ CANCELLED: 'neutral', PAUSING: 'neutral', QUEUED: 'neutral', WORKING: 'neutral' },
}

function outcome(code: OutcomeCode, sentence: string): Outcome {
  return { code, sentence, tone: tones[code] }
}

/** What a `result` event says, as far as the outcome depends on it. */
export interface ResultFacts {
  readonly status: string
  readonly kind: string
  readonly branch?: string | null
  readonly stories: readonly {
    readonly id: string
    readonly state: string
    readonly verdict?: string | null
    readonly tests?: TestCounts | null
    readonly findings?: readonly { readonly state: string }[]
  }[]
  readonly claim?: Claim
  readonly applied?: readonly string[]
  readonly diff?: string
  readonly paused_by?: 'user' | 'budget' | null
  readonly error?: { readonly code: string; readonly message: string } | null
  readonly answer?: unknown
}

/** The outcome of a Run that has come to rest, from its result. */
export function outcomeOfResult(result: ResultFacts): Outcome {
  switch (result.status) {
    case 'DONE':
      return outcomeOfDone(result)
    case 'PASS':
      return outcome('PASS', `The verification passed${remark(testsOf(result.answer))}.`)
    case 'FAIL':
      return outcome('FAIL', 'The verification failed.')
    case 'NO_CHANGE':
      return outcome('NO_CHANGE', `The editor changed nothing.${baseVerdict(result)}`)
    case 'STUCK':
      return outcome('STUCK', 'The editor got stuck; what it changed is kept.')
    case 'REJECTED':
      return outcome('REJECTED', 'The architect rejected it.')
    case 'INFRA_ERROR':
      return outcome('INFRA_ERROR', 'Something other than the change stood in the way.')
    case 'CANCELLED':
      return outcome('CANCELLED', 'It was cancelled; what was changed is kept.')
    case 'PAUSED':
      return result.paused_by === 'user'
        ? outcome('PAUSED', 'A person paused it.')
        : outcome('BUDGET_REACHED', 'Its budget keeps it from going on.')
    default:
      return outcome('ERROR', result.error?.message ?? 'An error stopped it.')
  }
}

function outcomeOfDone(result: ResultFacts): Outcome {
  const { kind, stories, applied, diff, branch, error, claim, answer } = result
  if (error?.code === 'apply_refused') return outcome('NOT_APPLIED', 'The change is verified, but not applied.')
  if (kind === 'scout') return outcome('DONE', 'The scout has answered.')
  if (kind === 'spec') {
    if (Array.isArray(answer)) return outcome('DONE', 'The stories are planned.')
    const skipped = stories.filter(({ state }) => state === 'CANCELLED').map(({ id }) => id)
    if (skipped.length > 0) return outcome('SKIPPED', `It is built without ${skipped.join(', ')}.`)
    return outcome('DONE', branch == null ? 'All stories are done; nothing was changed.' : 'All stories are built.')
  }
  if (claim !== undefined)
    return outcome('DONE', `The editor changed nothing, and that is accepted.${baseVerdict(result)}`)
  if (diff !== undefined) return outcome('DONE', 'The change is only shown; it was not verified.')
  // An older version ended so.
  if (branch === null && !applied) return outcome('DONE', `The editor changed nothing.${baseVerdict(result)}`)
  const open = openFindings(result)
  const verified = `The change is verified${remark(stories[0]?.tests)}`
  if (open > 0)
    return outcome('FINDINGS', `${verified}; ${count(open, 'finding')} of the gate ${open === 1 ? 'is' : 'are'} open.`)
  return outcome('DONE', `${verified}${applied ? ' and applied to the working tree' : ''}.`)
}

/** Only a task ends with open findings of the gate, for it has no reviewer. */
function openFindings({ kind, stories }: ResultFacts): number {
  if (kind !== 'task') return 0
  return stories.flatMap(({ findings = [] }) => findings.filter(({ state }) => state === 'open')).length
}

function baseVerdict({ stories: [story] }: ResultFacts): string {
  if (story?.verdict === undefined) return ''
  if (story.verdict === null) return ' Nothing was verified.'
  const passed = story.verdict === 'PASS'
  return ` The verification of the base ${passed ? `passed${remark(story.tests)}` : 'failed'}.`
}

function remark(tests: TestCounts | null | undefined): string {
  const said = testsRemark(tests)
  return said === null ? '' : `, but ${said}`
}

/** Of a verifier's response. */
function testsOf(answer: unknown): TestCounts | null {
  return (answer as { manifest?: { tests?: TestCounts } | null } | null)?.manifest?.tests ?? null
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}

interface Attended {
  /** Data of its last `result` event; null without one. */
  readonly result: ResultFacts | null
  /** A process works on this state now. */
  readonly isWorkedOn: boolean
  /** Nothing of it goes on, or could, before a person has answered. */
  readonly waitsForYou: boolean
  /** A person has paused it, whether or not a process has taken that up yet. */
  readonly isHeld: boolean
}

/** The outcome of any Run: what it has come to, or why nothing is there yet. */
export function outcomeOfRun(run: Run, { result, isWorkedOn, waitsForYou, isHeld }: Attended): Outcome {
  if (isAtRest(run)) return outcomeOfResult(result ?? barely(run))
  if (isHeld)
    return isWorkedOn
      ? outcome('PAUSING', 'It is being paused: what is under way ends first.')
      : outcome('PAUSED', 'A person paused it.')
  if (waitsForYou) return outcome('WAITS_FOR_YOU', 'It waits for your answer.')
  if (!isWorkedOn) return outcome('INTERRUPTED', 'No process works on it.')
  return run.state === 'WAITING'
    ? outcome('QUEUED', 'It waits for its turn.')
    : outcome('WORKING', 'It is being worked on.')
}

/** A Run's state as people see it: where nobody works on it, why. */
export function shownState({ state }: Pick<Run, 'state'>, { code }: Outcome): string {
  return code === 'PAUSED' || code === 'INTERRUPTED' || code === 'WAITS_FOR_YOU' ? code : state
}

/** Whether it has come to rest: then its last result tells what became of it. */
export function isAtRest({ state }: Pick<Run, 'state'>): boolean {
  return isEnded(state) || state === 'ERROR' || state === 'PAUSED'
}

/** What is known of one without a result. */
function barely(run: Run): ResultFacts {
  const { request, error, answer } = run.data
  return { status: run.state, kind: request.kind, stories: [], paused_by: pausedBy(run), error, answer }
}
