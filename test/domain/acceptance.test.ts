import { expect, test } from 'vitest'
import type { Acceptance } from '../../src/domain/acceptance/acceptance.ts'
import type { Criterion } from '../../src/domain/acceptance/criteria.ts'
import { type Showing, shownCriteria } from '../../src/domain/acceptance/shown-criteria.ts'
import { decided, decisionProblem } from '../../src/domain/acceptance/tests-decision.ts'

const criterion = (more: Partial<Criterion> = {}): Criterion => ({
  id: 'C1',
  text: 'it works',
  state: 'tested',
  behaviour: 'new',
  ...more,
})

const machine = (state: Acceptance['state'], ...criteria: readonly Criterion[]) =>
  ({ id: 'r/acceptance/s', kind: 'acceptance', state, data: { criteria, digest: 'd' } }) as unknown as Acceptance

interface CriterionState {
  readonly state?: Acceptance['state']
  readonly of?: Partial<Criterion>
  readonly result?: { readonly digest?: string; readonly status: 'met' | 'not_met' }
  readonly story?: object
  readonly finding?: 'open' | 'accepted'
}

function wordOf({
  state = 'READY',
  of = {},
  result,
  story = {},
  finding = 'open',
}: CriterionState): string | undefined {
  const found = result && {
    files: 1,
    digest: 'd',
    status: result.status,
    ...(result.digest && { digest: result.digest }),
    criteria: [{ id: 'C1', status: result.status, finding: 'g-1' }],
  }
  const findings = [{ id: 'g-1', state: finding }]
  const showing = {
    run: { data: {} },
    story: { state: 'CODING', data: { reviews: { code: { findings } } }, ...story },
    acceptance: machine(state, criterion(of)),
    result: found ?? null,
  } as unknown as Showing
  return shownCriteria(showing)[0]?.word
}

test.each<[string, CriterionState]>([
  ['unwritten', { state: 'WRITING', of: { state: 'unwritten' } }],
  ['written', { state: 'TRYING' }],
  ['written', { state: 'TRYING', result: { status: 'met' } }],
  ['red on base', {}],
  ['green on base', { of: { behaviour: 'old' } }],
  ['met', { result: { status: 'met' } }],
  ['red on base', { result: { status: 'met', digest: 'of other tests' } }],
  ['not met', { result: { status: 'not_met' } }],
  ['disputed', { result: { status: 'not_met' }, story: { state: 'ACCEPTANCE_REVIEW' } }],
  ['disputed', { result: { status: 'not_met' }, of: { judged: { decision: 'stands', reason: 'so it is' } } }],
  ['met', { result: { status: 'met' }, of: { judged: { decision: 'stands', reason: 'so it is' } } }],
  ['accepted', { result: { status: 'not_met' }, finding: 'accepted' }],
  ['untested', { of: { state: 'untested', why: 'no test can decide it' } }],
  ['dropped', { of: { state: 'dropped' }, result: { status: 'not_met' } }],
])('a criterion is shown as %s', (word, seen) => {
  expect(wordOf(seen)).toBe(word)
})

const file = { path: 'a.test.js', content: 'YQ==' }
const nothing = { confirm: [], drop: [] }

test.each<[string | null, Acceptance['state'], Parameters<typeof decisionProblem>[1]]>([
  [null, 'READY', { confirm: ['C1'], drop: [] }],
  [null, 'READY', { ...nothing, edit: { files: [file], criteria: [{ id: 'C1' }] } }],
  [null, 'READY', { ...nothing, edit: { files: [file], criteria: [{ id: 'C2', tests: ['a'] }] } }],
  ['they are TRYING', 'TRYING', { confirm: ['C1'], drop: [] }],
  ['There is no criterion C9', 'READY', { confirm: [], drop: ['C9'] }],
  ['C1 is named twice', 'READY', { confirm: ['C1'], drop: ['C1'] }],
  ['C2 has no test: it is untested', 'READY', { confirm: ['C2'], drop: [] }],
  ['No criterion is named', 'READY', nothing],
  ['Name its tests', 'READY', { ...nothing, edit: { files: [file], criteria: [{ id: 'C2' }] } }],
  ['Name the criteria', 'READY', { ...nothing, edit: { files: [file], criteria: [] } }],
  ['../b', 'READY', { ...nothing, edit: { files: [{ ...file, path: '../b' }], criteria: [{ id: 'C1' }] } }],
])('a decision is refused with %s in %s', (problem, state, decision) => {
  const untested = criterion({ id: 'C2', state: 'untested', why: 'it has no test' })
  const told = decisionProblem(machine(state, criterion(), untested), decision)
  if (problem === null) expect(told).toBeNull()
  else expect(told).toContain(problem)
})

test('a person’s test is confirmed and replaces files at the same path, and a dropped test is not run', () => {
  const tests = {
    files: [file, { path: 'b.test.js', content: 'Yg==' }],
    stub: [],
    criteria: [
      { id: 'C1', tests: ['one'], behaviour: 'new' as const },
      { id: 'C2', tests: ['two'], behaviour: 'old' as const },
    ],
    problems: [],
  }
  const criteria = [criterion(), criterion({ id: 'C2', behaviour: 'old' }), criterion({ id: 'C3', state: 'untested' })]
  const edit = { files: [{ ...file, content: 'Yw==' }], criteria: [{ id: 'C3', tests: ['three'] }] }
  const after = decided({ criteria }, tests, { confirm: ['C1'], drop: ['C2'], edit, author: 'Ada' })
  expect(after.criteria).toMatchObject([
    { id: 'C1', state: 'tested', confirmed: true, judged: { decision: 'confirmed', by: 'Ada' } },
    { id: 'C2', state: 'dropped', judged: { decision: 'dropped', by: 'Ada' } },
    { id: 'C3', state: 'tested', behaviour: 'new', confirmed: true, judged: { decision: 'mended', by: 'Ada' } },
  ])
  expect(after.tests.files.map(({ content }) => content)).toEqual(['Yw==', 'Yg=='])
  expect(after.tests.criteria.map(({ id, tests: names }) => [id, names])).toEqual([
    ['C1', ['one']],
    ['C3', ['three']],
  ])
})
