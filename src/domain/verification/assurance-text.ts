import type { Acceptance } from '../acceptance/acceptance-tests.ts'
import { formatDuration } from '../figures-text.ts'
import { fewNames } from '../name-list.ts'
import type { AssuranceFacts, Hunks, Hybrid, Reach, TriedTree, UnprovenHunk } from './assurance.ts'

/** One check in addition to the steps, for people. */
export interface AssuranceLine {
  /** The name of the check, in two or three words. */
  readonly name: string
  /** The result, as a sentence without its full stop. */
  readonly text: string
  /** Names in the result, one per line: text of the repository. */
  readonly more: readonly string[]
}

/** The results of the checks with the findings, which limit the sentences about the results. */
type Facts = AssuranceFacts &
  CanaryFacts & { readonly integrity?: { readonly findings: readonly { readonly kind: string }[] } | undefined }

/**
 * Describes the checks in addition to the steps, with their results. Checks that nobody asked for
 * are left out. A sentence says no more than was tried, whatever the findings are.
 */
export function assuranceLines(facts: Facts): readonly AssuranceLine[] {
  const { hybrid, canaries, hunks, reach, roles, acceptance } = facts
  return [
    ...(hybrid ? [{ name: 'Old tests', text: hybridText(hybrid, facts), more: hybrid.failing }] : []),
    ...(hybrid && roles ? [{ name: 'Roles', text: rolesText(roles), more: [] }] : []),
    ...(canaries ? [{ name: 'Failing tests', text: canaryText(canaries, facts), more: [] }] : []),
    ...(hunks && countOf(hunks) > 0
      ? [{ name: 'Hunks', text: hunksText(hunks, facts), more: placesOf(hunks.unproven) }]
      : []),
    ...(hunks?.left
      ? [{ name: 'Hunks left out', text: 'Hunks that were not tried:', more: placesOf(hunks.left) }]
      : []),
    ...(acceptance ? [{ name: 'Acceptance', text: acceptanceText(acceptance), more: criteriaOf(acceptance) }] : []),
    ...(reach ? [{ name: 'New code', text: reachText(reach), more: placesOf(reach.unreached) }] : []),
  ].map(({ more, ...line }) => ({ ...line, more: fewNames(more) }))
}

function acceptanceText({ status, files, digest, reason, criteria }: Acceptance): string {
  const which = `acceptance tests that no ${criteria === undefined ? 'agent' : 'editor'} sees (${files} ${files === 1 ? 'file' : 'files'}, ${digest.slice(0, 12)})`
  const results = { met: 'pass', not_met: 'do not pass', not_run: `were not run: ${reason}` } as const
  return `the ${which} ${results[status]}`
}

/** The result of each criterion. Editors read it, so it reveals nothing of the tests. */
function criteriaOf({ criteria = [] }: Acceptance): readonly string[] {
  return criteria.map(({ id, status }) => `${id}: ${status.replace('_', ' ')}`)
}

/** The checks, by a prefix of their trees' names. */
const checks: readonly (readonly [string, RegExp])[] = [
  ['the base commit', /^base$/],
  ['old tests', /^(?:hybrid|expectations)/],
  ['failing tests', /^(?:canaries|spoiled|kept)/],
  ['new code', /^(?:reach|emptied)/],
  ['proof of test', /^proof/],
  ['acceptance tests', /^acceptance/],
  ['few test files', /^narrowed/],
  ['hunks', /^hunks?-/],
]

/** The cost of a verification's checks in addition to its own steps. Null if nothing else ran. */
export function costLine({
  commands_executed,
  trees = [],
}: {
  readonly commands_executed: readonly { readonly duration_ms: number }[]
  readonly trees?: readonly TriedTree[] | undefined
}): AssuranceLine | null {
  if (trees.length === 0) return null
  const sum = (all: readonly { readonly duration_ms: number }[]) =>
    formatDuration(all.reduce((total, { duration_ms }) => total + duration_ms, 0))
  const checkOf = ({ name }: TriedTree) => checks.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other trees'
  const told = [...Map.groupBy(trees, checkOf)].map(
    ([check, own]) => `${check} ${sum(own)}${own.length > 1 ? ` in ${own.length} runs` : ''}`,
  )
  return { name: 'Cost', text: `the steps took ${sum(commands_executed)}; beside them: ${told.join(', ')}`, more: [] }
}

/** True if tests prove a hunk: a step fails without the hunk, and no finding doubts the tests. */
export function isHeldByTests(facts: Facts): boolean {
  return (facts.hunks?.proven ?? 0) > 0 && isClear(facts, 'hunks')
}

/** The findings that cast doubt on the good result of each check. */
const against = {
  /** Some tests of the base did not run, or changed tests ran instead. */
  old: [
    'behaviour_changed',
    'expectation_changed',
    'untried',
    'tests_removed',
    'tests_renamed',
    'tests_skipped',
    'tests_unread',
  ],
  /** Some real tests cannot fail, or their results vary. */
  failing: ['deaf_test', 'results_disturbed', 'untried'],
  /** A step may fail without a hunk although its tests prove nothing. */
  hunks: [
    'deaf_test',
    'results_disturbed',
    'untried',
    'no_proof',
    'no_tests',
    'expectation_changed',
    'fewer_assertions',
    'judges_itself',
  ],
} as const

function isClear({ canaries, integrity }: Facts, what: keyof typeof against): boolean {
  const kinds: readonly string[] = against[what]
  if (integrity?.findings.some(({ kind }) => kinds.includes(kind))) return false
  return what !== 'hunks' || canaries === undefined || canaries.status === 'heard'
}

/** The result of the canaries. */
interface CanaryFacts {
  readonly canaries?: {
    readonly status: 'heard' | 'deaf' | 'not_tried'
    readonly reason?: string
    /** Left out by older versions. */
    readonly steps?: readonly { readonly step: string; readonly status: string; readonly reason?: string }[]
  }
}

function hybridText({ status, failing, reason, with_dependencies }: Hybrid, facts: Facts): string {
  const where = `on the new sources${with_dependencies ? ' with what the change installs' : ''}`
  switch (status) {
    case 'held':
      return isClear(facts, 'old')
        ? `the base commit's tests pass ${where}`
        : `the tests that passed on the base commit, as far as they still run, pass as they were there ${where}`
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

/** The source of the roles: tests and their data are known by use, or by name. */
function rolesText(roles: NonNullable<AssuranceFacts['roles']>): string {
  return roles === 'by use'
    ? 'roles of files: by use'
    : 'roles of files: by name, for neither imports nor opened files are known'
}

function canaryText({ status, reason, steps = [] }: NonNullable<CanaryFacts['canaries']>, facts: Facts): string {
  const left = steps.filter((each) => each.status === 'not_tried')
  const not = left.map((each) => `${each.step}${because(each.reason)}`).join('; ')
  switch (status) {
    case 'heard': {
      const isWhole = isClear(facts, 'failing')
      if (left.length === 0 && isWhole) return 'the steps fail when a test fails'
      const said = isWhole
        ? 'a step fails when a test of it fails'
        : 'a step fails when a test that Drydock adds fails; findings name tests of its own of which that is not so'
      return left.length === 0 ? said : `${said}; not tried of ${not}`
    }
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

function hunksText({ proven, unproven, not_tried: left }: Hunks, facts: Facts): string {
  const tried = proven + unproven.length
  const isHeld = isClear(facts, 'hunks')
  const held = isHeld
    ? `${proven} of ${tried} ${tried === 1 ? 'hunk is' : 'hunks are'} held by a test`
    : `a step fails without ${proven} of ${tried} ${tried === 1 ? 'hunk' : 'hunks'}`
  const more = `${left} ${left === 1 ? 'was' : 'were'} not tried`
  if (tried === 0) return `${left} ${left === 1 ? 'hunk was' : 'hunks were'} not tried`
  return [
    held,
    ...(left === 0 ? [] : [`, ${more}`]),
    ...(unproven.length === 0 ? [] : [isHeld ? '; not held:' : '; none fails without:']),
  ].join('')
}

function reachText({ reached, unreached, not_tried }: Reach): string {
  const tried = reached + unreached.length
  const left = not_tried.length === 0 ? '' : `not tried: ${fewNames(not_tried).join(', ')}`
  if (tried === 0) return left
  const run = `${reached} of ${tried} ${tried === 1 ? 'part is' : 'parts are'} run by the steps`
  return [run, ...(left === '' ? [] : [`, ${left}`]), ...(unreached.length === 0 ? [] : ['; not run:'])].join('')
}

function placesOf(places: readonly UnprovenHunk[]): readonly string[] {
  return places.map(({ file, start, end, text }) => `${file}:${start}${end > start ? `-${end}` : ''}: ${text}`)
}
