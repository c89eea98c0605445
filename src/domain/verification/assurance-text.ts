import { fewNames } from '../name-list.ts'
import type { AssuranceFacts, Hunks, Hybrid } from './assurance.ts'

/** One thing that was tried beside the steps, for people. */
export interface AssuranceLine {
  /** What was tried, in two or three words. */
  readonly name: string
  /** What came of it, as a sentence without its full stop. */
  readonly text: string
  /** What it names, one a line: text of the repository. */
  readonly more: readonly string[]
}

/**
 * Describes the checks beside the steps, with their results. Checks that nobody asked for are left
 * out.
 */
export function assuranceLines({ hybrid, canaries, hunks }: AssuranceFacts & Heard): readonly AssuranceLine[] {
  return [
    ...(hybrid ? [{ name: 'Old tests', text: hybridText(hybrid), more: hybrid.failing }] : []),
    ...(canaries ? [{ name: 'Failing tests', text: canaryText(canaries), more: [] }] : []),
    ...(hunks && countOf(hunks) > 0 ? [{ name: 'Hunks', text: hunksText(hunks), more: unprovenLines(hunks) }] : []),
  ].map(({ more, ...line }) => ({ ...line, more: fewNames(more) }))
}

/** Whether a failing test was heard. */
interface Heard {
  readonly canaries?: {
    readonly status: 'heard' | 'deaf' | 'not_tried'
    readonly reason?: string
    /** Left out by older versions. */
    readonly steps?: readonly { readonly step: string; readonly status: string; readonly reason?: string }[]
  }
}

function hybridText({ status, failing, reason, with_dependencies }: Hybrid): string {
  const where = `on the new sources${with_dependencies ? ' with what the change installs' : ''}`
  switch (status) {
    case 'held':
      return `the base commit's tests pass ${where}`
    case 'behaviour_changed':
      return `${failing.length === 1 ? "1 of the base commit's tests does" : `${failing.length} of the base commit's tests do`} not pass ${where}`
    case 'not_built':
      return `the base commit's tests cannot run ${where}`
    case 'not_tried':
      return `the base commit's tests did not run ${where}${because(reason)}`
    default:
      throw new Error(`unknown status ${status satisfies never}`)
  }
}

function canaryText({ status, reason, steps = [] }: NonNullable<Heard['canaries']>): string {
  const left = steps.filter((each) => each.status === 'not_tried')
  switch (status) {
    case 'heard':
      return left.length === 0
        ? 'the steps fail when a test fails'
        : `a step fails when a test of it fails; not tried of ${left.map((each) => `${each.step}${because(each.reason)}`).join('; ')}`
    case 'deaf':
      return `the steps do not fail when a test fails${because(reason)}`
    case 'not_tried':
      return `Drydock did not try whether the steps fail when a test fails${because(reason)}`
    default:
      throw new Error(`unknown status ${status satisfies never}`)
  }
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${reason}`
}

function countOf({ proven, unproven, not_tried }: Hunks): number {
  return proven + unproven.length + not_tried
}

function hunksText({ proven, unproven, not_tried: left }: Hunks): string {
  const tried = proven + unproven.length
  const held = `${proven} of ${tried} ${tried === 1 ? 'hunk is' : 'hunks are'} held by a test`
  const more = `${left} ${left === 1 ? 'was' : 'were'} not tried`
  if (tried === 0) return `${left} ${left === 1 ? 'hunk was' : 'hunks were'} not tried`
  return [held, ...(left === 0 ? [] : [`, ${more}`]), ...(unproven.length === 0 ? [] : ['; not held:'])].join('')
}

function unprovenLines({ unproven }: Hunks): readonly string[] {
  return unproven.map(({ file, start, end, text }) => `${file}:${start}${end > start ? `-${end}` : ''}: ${text}`)
}
