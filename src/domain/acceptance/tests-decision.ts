import type { Acceptance, AcceptanceData } from './acceptance.ts'
import { type AcceptanceFile, acceptanceProblem, filesOver, type WrittenTests } from './acceptance-tests.ts'
import type { Criterion, Judgement } from './criteria.ts'

/**
 * A person's decision about the tests of a story. Tests that a person accepts or writes are
 * confirmed.
 */
export interface TestsDecision {
  /** Ids of criteria. */
  readonly confirm: readonly string[]
  readonly drop: readonly string[]
  /** Files that replace those at the same path, or are added. */
  readonly edit?: { readonly files: readonly AcceptanceFile[]; readonly criteria: readonly EditedTests[] }
}

/** The criterion that files of a person test. */
export interface EditedTests {
  readonly id: string
  /** Names of its tests; left out where they stay. */
  readonly tests?: readonly string[]
  /** Left out where the behaviour stays; `new` for a criterion that had no test. */
  readonly behaviour?: 'new' | 'old'
}

/** The reason why a decision cannot be carried out, as a sentence; null if it can. */
export function decisionProblem(
  { state, data: { criteria } }: Acceptance,
  { confirm, drop, edit }: TestsDecision,
): string | null {
  if (state !== 'READY') return `The tests are not ready yet: they are ${state}.`
  const edited = edit?.criteria.map(({ id }) => id) ?? []
  const ids = [...confirm, ...drop, ...edited]
  const known = new Map(criteria.map((each) => [each.id, each]))
  const odd = ids.find((id) => !known.has(id))
  if (odd !== undefined) return `There is no criterion ${odd}. There are: ${[...known.keys()].join(', ')}.`
  const twice = ids.find((id, i) => ids.indexOf(id) !== i)
  if (twice !== undefined) return `${twice} is named twice.`
  const without = [...confirm, ...drop].find((id) => known.get(id)?.state !== 'tested')
  if (without !== undefined) return `${without} has no test: it is ${known.get(without)?.state}.`
  if (edit === undefined) return ids.length === 0 ? 'No criterion is named.' : null
  const unfit = acceptanceProblem(edit)
  if (unfit !== null) return `The files cannot be used: ${unfit}.`
  if (edited.length === 0) return 'The files are of no criterion. Name the criteria that they test.'
  const unnamed = edit.criteria.find(({ id, tests }) => tests === undefined && known.get(id)?.state !== 'tested')
  return unnamed === undefined ? null : `${unnamed.id} has no test so far. Name its tests.`
}

/** The tests after a decision that can be carried out. */
export function decided(
  { criteria }: Pick<AcceptanceData, 'criteria'>,
  tests: WrittenTests,
  { confirm, drop, edit, author }: TestsDecision & { readonly author: string },
): { readonly criteria: readonly Criterion[]; readonly tests: WrittenTests } {
  const edited = new Map(edit?.criteria.map((each) => [each.id, each]))
  const by = (decision: Judgement['decision']) => ({ judged: { decision, reason: '', by: author } })
  const after = criteria.map((each): Criterion => {
    const { id, behaviour = 'new', why: _, ...criterion } = each
    const own = edited.get(id)
    if (own !== undefined)
      return {
        ...criterion,
        id,
        state: 'tested',
        behaviour: own.behaviour ?? behaviour,
        confirmed: true,
        ...by('mended'),
      }
    if (confirm.includes(id)) return { ...each, confirmed: true, ...by('confirmed') }
    return drop.includes(id) ? { ...criterion, id, state: 'dropped', ...by('dropped') } : each
  })
  const before = new Map(tests.criteria.map((each) => [each.id, each.tests]))
  const tested = after.filter(({ id, state }) => state === 'tested' && (before.has(id) || edited.has(id)))
  return {
    criteria: after,
    tests: {
      stub: tests.stub,
      problems: [],
      files: filesOver(tests.files, edit?.files ?? []),
      criteria: tested.map(({ id, behaviour = 'new' }) => ({
        id,
        behaviour,
        tests: edited.get(id)?.tests ?? before.get(id) ?? [],
      })),
    },
  }
}
