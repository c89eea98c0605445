import type { Claim } from '../claim.ts'
import { type TestCounts, testsRemark } from '../verification/tests-seen.ts'
import type { Cap } from './budget.ts'
import type { GoneBranch } from './gone-branch.ts'
import { codeTones, type OutcomeCode, type outcomeTones } from './outcome-table.ts'
import { budgetNames, type PauseCause, type PauseSignal, pausedHow, pauserName } from './pause-cause.ts'
import { isEnded, pausedBy, type Run } from './run.ts'

/** A Run's outcome, in the same words in every view. */
export interface Outcome {
  readonly code: OutcomeCode
  /** One sentence for people. */
  readonly sentence: string
  /** A short label in place of the code, where that says more. */
  readonly label?: string
  readonly tone: (typeof outcomeTones)[number]
}

function outcome(code: OutcomeCode, sentence: string, label?: string): Outcome {
  return { code, sentence, tone: codeTones[code], ...(label !== undefined && { label }) }
}

/** A Run that cannot continue until a person has answered. */
export const outcomeOfQuestion = outcome('WAITS_FOR_YOU', 'It waits for your answer.')

/** The outcome of a Run whose result others hold: their names are in both texts. */
export function outcomeOfHeld(sentence: string, label: string): Outcome {
  return outcome('HELD', sentence, label)
}

/** The part of a `result` event that decides the outcome. */
export interface ResultFacts {
  readonly status: string
  readonly kind: string
  readonly branch?: string | null
  readonly stories: readonly {
    readonly id: string
    readonly state: string
    readonly verdict?: string | null
    readonly tests?: TestCounts | null
    readonly kept?: boolean
    readonly findings?: readonly { readonly id: string; readonly state: string }[]
  }[]
  readonly repositories?: readonly { readonly name: string; readonly branch: string | null }[]
  readonly claim?: Claim
  readonly applied?: readonly string[]
  readonly diff?: string
  readonly paused_by?: 'user' | 'budget' | null
  readonly paused_signal?: PauseSignal
  readonly paused_person?: string
  readonly paused?: readonly { readonly cap: Cap }[]
  readonly error?: { readonly code: string; readonly message: string } | null
  readonly answer?: unknown
  readonly gone?: Pick<GoneBranch, 'taken' | 'message'>
}

/** The outcome of a Run at rest, from its result. */
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
    case 'TOO_VAGUE':
      return outcome('TOO_VAGUE', 'The spec is too vague to split into stories.')
    case 'STUCK':
      if (result.stories.some(({ state }) => state === 'REJECTED')) return rejected(result)
      return outcome('STUCK', `The editor got stuck.${keptPart(result)}`)
    case 'REJECTED':
      return rejected(result)
    case 'INFRA_ERROR':
      return outcome('INFRA_ERROR', 'The infrastructure failed, not the change.')
    case 'CANCELLED':
      return outcome('CANCELLED', `It was cancelled${landedPart(result)}.${keptPart(result)}`)
    case 'PAUSED':
      return result.paused_by === 'user'
        ? outcomeOfPause(causeIn(result))
        : outcomeOfBudget(budgetNames(result.paused ?? []))
    default:
      return outcome('ERROR', result.error?.message ?? 'An error stopped it.')
  }
}

function rejected(result: ResultFacts): Outcome {
  return outcome('REJECTED', `The architect rejected it.${keptPart(result)}`)
}

function causeIn({ paused_signal: signal, paused_person: person }: ResultFacts): PauseCause {
  return { ...(signal !== undefined && { signal }), ...(person !== undefined && { person }) }
}

function outcomeOfPause(cause: PauseCause): Outcome {
  return outcome('PAUSED', `It was paused ${pausedHow(cause)}.`, `Paused by ${pauserName(cause)}`)
}

function outcomeOfBudget(names: string): Outcome {
  return outcome('BUDGET_REACHED', `It was paused by ${names}, which it has reached.`, `Paused by ${names}`)
}

/** Says if changes of work that ended without DONE are kept, as far as that is known. */
function keptPart({ stories }: ResultFacts): string {
  if (stories.some(({ state, kept }) => kept ?? state === 'DONE')) return ' Its changes are kept.'
  return stories.every(({ kept }) => kept === false) ? ' Nothing was changed.' : ''
}

/** The repositories that a Run over several had landed in before it was cancelled. */
function landedPart({ repositories }: ResultFacts): string {
  if (repositories === undefined) return ''
  const landed = repositories.filter(({ branch }) => branch !== null).map(({ name }) => name)
  return landed.length === 0 ? ', and nothing landed in any repository' : ` after it had landed in ${landed.join(', ')}`
}

function outcomeOfDone(result: ResultFacts): Outcome {
  const { kind, stories, applied, diff, branch, error, claim, answer, gone } = result
  if (error?.code === 'apply_refused')
    return outcome('NOT_APPLIED', 'The change is verified, but not applied.', 'Done, not applied')
  if (gone?.taken === false) return outcome('NOT_APPLIED', gone.message, 'Done, branch deleted')
  if (kind === 'scout') return outcome('DONE', 'The scout has answered.')
  if (kind === 'interview') return outcome('DONE', 'The spec is written.')
  if (kind === 'spec') {
    if (Array.isArray(answer)) return outcome('DONE', 'The stories are planned.')
    const skipped = stories.filter(({ state }) => state === 'CANCELLED').map(({ id }) => id)
    if (skipped.length > 0)
      return outcome('SKIPPED', `It is built without ${skipped.join(', ')}.`, `Done, ${skipped.length} skipped`)
    const left = openFindings(result).length
    if (left > 0) return withFindings('All stories are built', left)
    return outcome('DONE', branch == null ? 'All stories are done. Nothing was changed.' : 'All stories are built.')
  }
  if (claim !== undefined)
    return outcome('DONE', `The editor changed nothing, and this is accepted.${baseVerdict(result)}`)
  if (diff !== undefined) return outcome('DONE', 'The change is only shown, not verified.')
  // Runs of an older version ended without a branch.
  if (branch === null && !applied) return outcome('DONE', `The editor changed nothing.${baseVerdict(result)}`)
  const open = openFindings(result).length
  const verified = `The change is verified${applied ? ' and applied to the working tree' : ''}${remark(stories[0]?.tests)}`
  return open > 0 ? withFindings(verified, open) : outcome('DONE', `${verified}.`)
}

function withFindings(done: string, open: number): Outcome {
  const sentence = `${done}; ${count(open, 'finding')} of the gate ${open === 1 ? 'is' : 'are'} open.`
  return outcome('FINDINGS', sentence, `Done, ${count(open, 'finding')} to accept`)
}

/**
 * Ids of findings that nobody has accepted: of a task, and of the final check of a spec by its
 * base's tests. Remarks are reported separately.
 */
export function openFindings({ kind, stories }: Pick<ResultFacts, 'kind' | 'stories'>): readonly string[] {
  if (kind !== 'task' && kind !== 'spec') return []
  return stories.flatMap(({ state: of, findings = [] }) =>
    findings.flatMap(({ id, state }) =>
      state === 'open' && (kind === 'task' || (of === 'DONE' && id.startsWith('g-'))) ? [id] : [],
    ),
  )
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

/** The test counts in a verifier's response. */
function testsOf(answer: unknown): TestCounts | null {
  return (answer as { manifest?: { tests?: TestCounts } | null } | null)?.manifest?.tests ?? null
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}

interface RunStanding {
  /** Data of the last `result` event; null without one. */
  readonly result: ResultFacts | null
  /** True if a process works on this state now. */
  readonly isWorkedOn: boolean
  /** True if the Run cannot continue before a person answers. */
  readonly waitsForYou: boolean
  /** The cause of a pause, applied or not; null without one. */
  readonly held: PauseCause | null
}

/** The outcome of any Run, or the reason why it has none yet. */
export function outcomeOfRun(run: Run, { result, isWorkedOn, waitsForYou, held }: RunStanding): Outcome {
  if (isAtRest(run)) return outcomeOfResult(result ?? barely(run))
  if (held)
    return isWorkedOn ? outcome('PAUSING', 'It is being paused: the current steps end first.') : outcomeOfPause(held)
  if (waitsForYou) return outcomeOfQuestion
  if (!isWorkedOn) return outcome('INTERRUPTED', 'No process works on it.')
  return run.state === 'WAITING'
    ? outcome('QUEUED', 'It waits for its turn.')
    : outcome('WORKING', 'It is being worked on.')
}

/** A Run's state for people: the reason if nobody works on it. */
export function shownState({ state }: Pick<Run, 'state'>, { code }: Outcome): string {
  return code === 'PAUSED' || code === 'INTERRUPTED' || code === 'WAITS_FOR_YOU' ? code : state
}

/** True if the Run is at rest: then its last result has its outcome. */
export function isAtRest({ state }: Pick<Run, 'state'>): boolean {
  return isEnded(state) || state === 'ERROR' || state === 'PAUSED'
}

/** The facts of a Run without a result. */
function barely(run: Run): ResultFacts {
  const { request, error, answer } = run.data
  return { status: run.state, kind: request.kind, stories: [], ...pausedResult(run), error, answer }
}

interface PausedResult {
  readonly paused_by: ReturnType<typeof pausedBy>
  readonly paused_signal?: PauseSignal
  readonly paused_person?: string
}

/** The pause as part of a result, with the signal or the person that caused it. */
export function pausedResult(run: Pick<Run, 'state' | 'data'>): PausedResult {
  const by = pausedBy(run)
  const { signal, person } = (by === 'user' && run.data.rest) || {}
  return {
    paused_by: by,
    ...(signal !== undefined && { paused_signal: signal }),
    ...(person !== undefined && { paused_person: person }),
  }
}
