import { expect, test } from 'vitest'
import { exitCodeOf } from '../../src/domain/run/exit-code.ts'
import { outcomeOfResult, type ResultFacts } from '../../src/domain/run/outcome.ts'

const story = (more: object = {}) => ({ id: 'task', state: 'DONE', run_id: 'run_1', attempts: 1, ...more })
const ran = { passed: 3, failed: 0, skipped: 0 }

const shown = (facts: Partial<ResultFacts>) => {
  const result = { status: 'DONE', kind: 'task', branch: 'drydock/x', stories: [story({ tests: ran })], ...facts }
  const { code, tone, sentence } = outcomeOfResult(result)
  return [code, tone, exitCodeOf(result as never), sentence]
}

test('only what is verified and needs nobody is good, and the exit code says the same', () => {
  expect(shown({})).toEqual(['DONE', 'good', 0, 'The change is verified.'])
  const open = story({ tests: ran, findings: [{ state: 'open' }, { state: 'accepted' }] })
  const words = 'The change is verified; 1 finding of the gate is open.'
  expect(shown({ stories: [open] })).toEqual(['FINDINGS', 'bad', 3, words])
  expect(shown({ kind: 'spec', stories: [story({ id: 's1', state: 'CANCELLED' })] })).toEqual([
    'SKIPPED',
    'bad',
    3,
    'It is built without s1.',
  ])
  expect(shown({ kind: 'verify', status: 'FAIL' }).slice(0, 3)).toEqual(['FAIL', 'bad', 3])
  expect(shown({ status: 'NO_CHANGE' }).slice(0, 3)).toEqual(['NO_CHANGE', 'bad', 3])
  expect(shown({ status: 'CANCELLED' }).slice(0, 3)).toEqual(['CANCELLED', 'neutral', 5])
  expect(shown({ status: 'PAUSED', paused_by: 'user' }).slice(0, 3)).toEqual(['PAUSED', 'waiting', 6])
  expect(shown({ status: 'PAUSED', paused_by: 'budget' }).slice(0, 3)).toEqual(['BUDGET_REACHED', 'waiting', 7])
  const error = { code: 'apply_refused', message: 'Local changes would be overwritten: a' }
  expect(shown({ error }).slice(0, 3)).toEqual(['NOT_APPLIED', 'bad', 2])
})

test.each([
  ['PAUSED', 'It was paused by Ada.', 'Paused by Ada', { paused_by: 'user', paused_person: 'Ada' }],
  ['PAUSED', 'It was paused by hand.', 'Paused by hand', { paused_by: 'user' }],
  [
    'PAUSED',
    'It was paused by Ctrl-C in its terminal.',
    'Paused by Ctrl-C',
    { paused_by: 'user', paused_signal: 'SIGINT' },
  ],
  [
    'BUDGET_REACHED',
    'It was paused by budget.run_usd and budget.story_usd, which it has reached.',
    'Paused by budget.run_usd and budget.story_usd',
    { paused_by: 'budget', paused: [{ cap: 'run_usd' }, { cap: 'story_usd' }, { cap: 'run_usd' }] },
  ],
  [
    'BUDGET_REACHED',
    'It was paused by its budget, which it has reached.',
    'Paused by its budget',
    { paused_by: 'budget' },
  ],
] as const)('a pause says by whom or what: %s %s', (code, sentence, label, facts) => {
  const result = { status: 'PAUSED', kind: 'task', stories: [], ...facts }
  expect(outcomeOfResult(result)).toMatchObject({ code, sentence, label })
})

test.each([
  ['REJECTED', 'The architect rejected it. Its changes are kept.', 3],
  ['TOO_VAGUE', 'The spec is too vague to split into stories.', 3],
  ['INFRA_ERROR', 'The infrastructure failed, not the change.', 4],
])('%s says that: %s', (status, sentence, exitCode) => {
  expect(shown({ status })).toEqual([status, 'bad', exitCode, sentence])
})

test.each([
  ['a snapshot of any of them', [{ kept: false }, { kept: true }], ' Its changes are kept.'],
  ['a merged story', [{ state: 'DONE' }, { kept: false }], ' Its changes are kept.'],
  ['nothing', [{ kept: false }], ' Nothing was changed.'],
  ['nothing, though a story is done', [{ state: 'DONE', kept: false }], ' Nothing was changed.'],
  ['nothing, since no story had begun', [], ' Nothing was changed.'],
  ['what nobody knows', [{}], ''],
])('a result without DONE says what is left of it: %s', (_, stories, left) => {
  const given = stories.map((more) => story({ state: 'STUCK', ...more }))
  expect(shown({ status: 'STUCK', stories: given })[3]).toBe(`The editor got stuck.${left}`)
  expect(shown({ status: 'CANCELLED', stories: given })[3]).toBe(`It was cancelled.${left}`)
})

test('the parts of a sentence belong to what they are about', () => {
  const open = { findings: [{ state: 'open' }] }
  const applied = ['a.txt']
  expect(shown({ applied, branch: null })[3]).toBe('The change is verified and applied to the working tree.')
  expect(shown({ applied, branch: null, stories: [story()] })[3]).toBe(
    'The change is verified and applied to the working tree, but no test results were read.',
  )
  expect(shown({ applied, branch: null, stories: [story(open)] })[3]).toBe(
    'The change is verified and applied to the working tree, but no test results were read; 1 finding of the gate is open.',
  )
})

test('an outcome beyond its code has its own words', () => {
  const label = (facts: Partial<ResultFacts>) =>
    outcomeOfResult({ status: 'DONE', kind: 'task', branch: 'drydock/x', stories: [story({ tests: ran })], ...facts })
      .label
  const open = (count: number) => story({ findings: Array.from({ length: count }, () => ({ state: 'open' })) })
  expect(label({ stories: [open(3)] })).toBe('Done, 3 findings to accept')
  expect(label({ stories: [open(1)] })).toBe('Done, 1 finding to accept')
  expect(label({ kind: 'spec', stories: [story({ id: 's1', state: 'CANCELLED' })] })).toBe('Done, 1 skipped')
  expect(label({})).toBe(undefined)
})

test('a PASS says when a runner reported no test, and when nobody could read one', () => {
  const none = { passed: 0, failed: 0, skipped: 2 }
  expect(shown({ stories: [story({ tests: none })] })[3]).toBe('The change is verified, but 0 tests ran.')
  expect(shown({ stories: [story()] })[3]).toBe('The change is verified, but no test results were read.')
  const answer = { manifest: { tests: ran } }
  expect(shown({ kind: 'verify', status: 'PASS', answer })[3]).toBe('The verification passed.')
})
