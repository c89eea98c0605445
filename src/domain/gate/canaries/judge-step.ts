import { fewNames } from '../../name-list.ts'
import type { Canaries, CanaryStep } from '../../verification/assurance.ts'
import type { CanaryResult } from './hear-canaries.ts'

interface Place {
  readonly path: string
  readonly token: string
  /** True if the base commit has the file, too. */
  readonly isOld: boolean
}

/** The results of trying the canaries of one step. */
export interface Listening {
  readonly step: string
  readonly places: readonly Place[]
  /** The result with all canaries; null when the step did not run to its end. */
  readonly first: CanaryResult | null
  /** The result with only the canaries that went unnoticed. */
  readonly again?: CanaryResult | null
  /**
   * The result on the base commit, with only the canaries that it can have; undefined when there
   * are none.
   */
  readonly onBase?: CanaryResult | null | undefined
  /** The second run on the base commit, where the first one decides by its exit code alone. */
  readonly onBaseAgain?: CanaryResult | null | undefined
  /**
   * True if the change touches configuration: on the base commit the step may do something else.
   */
  readonly mayDiffer?: boolean
  /** The reason why there are no places, where more is known. */
  readonly why?: string | undefined
}

/** True if the step seemed deaf twice. */
export function isSuspect({ again }: Pick<Listening, 'again'>): boolean {
  return again != null && ['passed', 'silent', 'masked'].includes(again.how)
}

/** True if the second run did not reach the unheard canaries, and so tells nothing about them. */
export function isUnreached({ again }: Pick<Listening, 'again'>): boolean {
  return again === null || again?.how === 'unrun'
}

/**
 * True if only the exit code of the base commit shows that the step is deaf: the step ended with an
 * error there and named no test, as some runners do at the first failure. An accident could end it
 * in the same way.
 */
export function isByExitCode(listening: Listening): boolean {
  const { places, again, onBase, mayDiffer = false } = listening
  if (!isSuspect(listening) || mayDiffer) return false
  return suspectsOf(places, again).some(({ isOld }) => isOld) && endsUnnamed(onBase)
}

function suspectsOf(places: readonly Place[], again: CanaryResult | null | undefined): readonly Place[] {
  return places.filter(({ token }) => again?.how === 'masked' || again?.unheard.includes(token))
}

function endsUnnamed(heard: CanaryResult | null | undefined): boolean {
  return heard?.how === 'unrun' && heard.isUnnamed
}

/**
 * A step is deaf only if the change made it so: if the base commit hears the same canaries, or has
 * none of them.
 */
export function judgeStep(listening: Listening): CanaryStep {
  const { step, places, first, again } = listening
  const files = [...new Set(places.map(({ path }) => path))]
  const said = (status: CanaryStep['status'], reason?: string): CanaryStep => ({
    step,
    status,
    files,
    ...(reason !== undefined && { reason }),
  })
  if (files.length === 0)
    return said('not_tried', listening.why ?? 'it has no test file to which a failing test can be added')
  if (first === null && again == null) return said('not_tried', 'it did not run to its end with them')
  if (isSuspect(listening) && again) {
    const doubt = whyNotDeaf(listening, again)
    if (doubt === null) return said('deaf', howDeaf(listening, again))
    // A test that the report names as failed is red for the gate, whatever the exit code is.
    return ['heard', 'masked'].includes(first?.how ?? '') ? said('heard') : said('not_tried', doubt)
  }
  if (first?.how === 'heard' || again?.how === 'heard') return said('heard')
  return said(
    'not_tried',
    'with them the step fails, but names none of them: it checks its files before they run, or its runner names no test that fails',
  )
}

function whyNotDeaf(listening: Listening, again: CanaryResult): string | null {
  const { places, onBase } = listening
  const suspects = suspectsOf(places, again)
  const isControlled = suspects.some(({ isOld }) => isOld)
  if (isByExitCode(listening))
    return endsUnnamed(listening.onBaseAgain) ? null : 'on the base commit they ended it in two ways'
  // All tests that ran before ran again, so the command selects its tests.
  if (again.how === 'silent' && again.isComplete && again.lost.length === 0) return 'they did not run'
  if (onBase === undefined) {
    if (again.how === 'passed') return null
    return again.how === 'silent' && again.lost.length > 0
      ? null
      : 'they did not run, and the base commit has no test file to compare with'
  }
  const isHeard =
    onBase?.how === 'heard' &&
    (!isControlled || suspects.some(({ isOld, token }) => isOld && !onBase.unheard.includes(token)))
  if (!isHeard) return 'on the base commit the step does not hear them, either'
  if (isControlled || again.how === 'passed') return null
  return again.how === 'silent' && again.lost.length > 0 ? null : 'they did not run'
}

function howDeaf({ places }: Listening, { how, unheard, lost }: CanaryResult): string {
  const where = fewNames([
    ...new Set(places.filter(({ token }) => unheard.includes(token)).map(({ path }) => path)),
  ]).join(', ')
  if (how === 'passed') return `an assertion of something false passed in ${where}`
  if (how === 'masked') return 'its tests failed, and its exit code was 0'
  const gone = lost.length === 0 ? '' : `, and ${lost.length} tests that ran before did not, either`
  return `it ended with 0 although a test in ${where} must fail; that test was not named as failed${gone}`
}

export function together(steps: readonly CanaryStep[]): Canaries {
  const deaf = steps.find(({ status }) => status === 'deaf')
  if (deaf) return { status: 'deaf', reason: `step ${deaf.step}: ${deaf.reason ?? ''}`, steps }
  if (steps.some(({ status }) => status === 'heard')) return { status: 'heard', steps }
  return { status: 'not_tried', reason: steps[0]?.reason ?? 'no step has tests', steps }
}
