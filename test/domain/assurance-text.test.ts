import { expect, test } from 'vitest'
import { summarize } from '../../src/domain/story/change-summary.ts'
import type { Canaries, Hunks, Hybrid } from '../../src/domain/verification/assurance.ts'
import { assuranceLines, costLine } from '../../src/domain/verification/assurance-text.ts'
import type { Manifest } from '../../src/domain/verification/verdict.ts'

const hybrids: readonly (Hybrid | undefined)[] = [
  undefined,
  { status: 'held', failing: [] },
  { status: 'held', failing: [], with_dependencies: true },
  { status: 'behaviour_changed', failing: ['a'] },
  { status: 'not_built', failing: [] },
  { status: 'not_tried', failing: [], reason: 'nothing passed on the base commit' },
]
const step = { step: 'test', status: 'heard', files: ['a.test.ts'] } as const
const left = { step: 'e2e', status: 'not_tried', files: [], reason: 'it names no tests' } as const
const canaries: readonly (Canaries | undefined)[] = [
  undefined,
  { status: 'heard', steps: [step] },
  { status: 'heard', steps: [step, left] },
  { status: 'not_tried', steps: [left] },
  { status: 'deaf', reason: 'a canary passed', steps: [] },
]
const unproven = [{ file: 'a.ts', start: 1, end: 1, text: '+a' }]
const hunks: readonly (Hunks | undefined)[] = [
  undefined,
  { proven: 1, unproven: [], not_tried: 0 },
  { proven: 1, unproven, not_tried: 1 },
  { proven: 0, unproven, not_tried: 0 },
  { proven: 0, unproven: [], not_tried: 2 },
]
const kinds = [
  'behaviour_changed',
  'expectation_changed',
  'untried',
  'tests_removed',
  'tests_renamed',
  'tests_skipped',
  'tests_unread',
  'deaf_test',
  'results_disturbed',
  'no_proof',
  'no_tests',
  'fewer_assertions',
  'judges_itself',
  'configuration',
  'suppressed',
] as const
const findings = [[], ...kinds.map((kind) => [kind]), ...kinds.flatMap((one) => kinds.map((other) => [one, other]))]

/** The claims, each with the findings that contradict it. */
const claims = [
  {
    claim: /the base commit's tests pass/,
    holds: ({ hybrid }: All) => hybrid?.status === 'held',
    against: /^(?:behaviour_changed|expectation_changed|untried|tests_)/,
  },
  {
    claim: /(?<!whether )the steps fail when a test fails|a step fails when a test of it fails/,
    holds: (all: All) => all.canaries?.status === 'heard',
    against: /^(?:deaf_test|results_disturbed|untried)$/,
  },
  {
    claim: /held by a test|hold hunks/,
    holds: (all: All) =>
      (all.hunks?.proven ?? 0) + (all.hunks?.unproven.length ?? 0) > 0 &&
      (all.canaries === undefined || all.canaries.status === 'heard'),
    against:
      /^(?:deaf_test|results_disturbed|untried|no_proof|no_tests|expectation_changed|fewer_assertions|judges_itself)$/,
  },
]

interface All {
  readonly hybrid?: Hybrid | undefined
  readonly canaries?: Canaries | undefined
  readonly hunks?: Hunks | undefined
}

const every = hybrids.flatMap((hybrid) =>
  canaries.flatMap((each) => hunks.map((some): All => ({ hybrid, canaries: each, hunks: some }))),
)

test('no sentence about what was tried says more than was tried, beside any findings', () => {
  const wrong: string[] = []
  const said = new Set<RegExp>()
  for (const all of every)
    for (const some of findings) {
      const integrity = { findings: some.map((kind) => ({ kind })) }
      const facts = Object.fromEntries(Object.entries({ ...all, integrity }).filter(([, each]) => each !== undefined))
      const manifest = { ...facts, status: 'PASS', commands_executed: [], commit_sha: '', limits: {}, platform: {} }
      // One finding is enough to test the words of the summary.
      const { text } =
        some.length > 1
          ? { text: '' }
          : summarize({
              said: '',
              notes: [],
              plan: null,
              files: [],
              findings: [],
              manifest: manifest as unknown as Manifest,
            })
      const lines = assuranceLines(facts)
        .map((line) => line.text)
        .join('\n')
      for (const { claim, holds, against } of claims)
        for (const words of [lines, text]) {
          if (!claim.test(words)) continue
          said.add(claim)
          if (!holds(all) || some.some((kind) => against.test(kind))) wrong.push(`${words} beside ${some.join()}`)
        }
    }
  expect(wrong).toEqual([])
  expect(said.size).toBe(claims.length)
})

test('each check that was tried is told, with what is not clear beside its findings', () => {
  for (const all of every) {
    const names = assuranceLines({
      ...(all.hybrid && { hybrid: all.hybrid }),
      ...(all.canaries && { canaries: all.canaries }),
      ...(all.hunks && { hunks: all.hunks }),
    }).map(({ name }) => name)
    expect(names).toEqual([
      ...(all.hybrid ? ['Old tests'] : []),
      ...(all.canaries ? ['Failing tests'] : []),
      ...(all.hunks ? ['Hunks'] : []),
    ])
  }
  const beside = (kind: string) =>
    assuranceLines({
      hybrid: { status: 'held', failing: [] },
      canaries: { status: 'heard', steps: [step] },
      hunks: { proven: 1, unproven, not_tried: 0 },
      integrity: { findings: [{ kind }] },
    }).map(({ text }) => text)
  const clear = ["the base commit's tests pass on the new sources", 'the steps fail when a test fails']
  expect(beside('configuration')).toEqual([...clear, '1 of 2 hunks is held by a test; not held:'].map(plural))
  expect(beside('expectation_changed')).toEqual([
    'the tests that passed on the base commit, as far as they still run, pass as they were there on the new sources',
    clear[1],
    'a step fails without 1 of 2 hunks; none fails without:',
  ])
  expect(beside('deaf_test')[1]).toBe(
    'a step fails when a test that Drydock adds fails; findings name tests of its own of which that is not so',
  )
})

const plural = (text: string) => text.replace('hunks is', 'hunks are')

test('hunks that were left out are told by their places', () => {
  const left = [{ file: 'src/login.ts', start: 3, end: 4, text: '+  wait()' }]
  expect(assuranceLines({ hunks: { proven: 1, unproven: [], not_tried: 1, left } }).slice(1)).toEqual([
    { name: 'Hunks left out', text: 'Hunks that were not tried:', more: ['src/login.ts:3-4: +  wait()'] },
  ])
})

test('the cost of each check is told beside that of the steps; kept results cost nothing', () => {
  const commands_executed = [{ duration_ms: 10_000 }, { duration_ms: 1_500 }]
  expect(costLine({ commands_executed })).toBeNull()
  const names = [
    'base',
    'hybrid',
    'hybrid-again',
    'canaries',
    'spoiled-again',
    'narrowed',
    'hunk-01',
    'hunk-02',
    'proof-narrowed',
  ]
  const trees = names.map((name, i) => ({ name, duration_ms: (i + 1) * 100 }))
  expect(costLine({ commands_executed, trees })?.text).toBe(
    'the steps took 12 s; beside them: the base commit 0.1 s, old tests 0.5 s in 2 runs, failing tests 0.9 s in 2 runs, ' +
      'few test files 0.6 s, hunks 1.5 s in 2 runs, proof of test 0.9 s',
  )
})
