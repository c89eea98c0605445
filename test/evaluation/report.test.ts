import { describe, expect, test } from 'vitest'
import { type AttemptRecord, type AttemptVerdict, attemptName } from '../../src/domain/bench/attempt-record.ts'
import { summarizeArms, summarizeTasks } from '../../src/domain/bench/summarize.ts'
import { wilson } from '../../src/domain/bench/wilson.ts'
import { benchReport } from '../../src/evaluation/report/bench-report.ts'
import { markdownOf } from '../../src/evaluation/report/markdown.ts'
import { predictionLine } from '../../src/evaluation/report/predictions.ts'

/** By the published formula, calculated by hand. */
test.each([
  [0, 10, 0, 0.2775],
  [5, 10, 0.2366, 0.7634],
  [10, 10, 0.7225, 1],
  [81, 263, 0.2553, 0.3662],
])('of %i in %i the interval is known', (hits, of, low, high) => {
  const interval = wilson(hits, of)
  expect(interval?.low).toBeCloseTo(low, 4)
  expect(interval?.high).toBeCloseTo(high, 4)
})

test('without an attempt there is no interval', () => {
  expect(wilson(0, 0)).toBeNull()
})

const attempt = (verdict: AttemptVerdict, more: Partial<AttemptRecord> = {}): AttemptRecord => ({
  task: 'a',
  arm: 'crew',
  acceptance: null,
  repeat: 1,
  play: null,
  verdict,
  outcome: 'DONE',
  hidden: [],
  delivered: verdict === 'resolved' || verdict === 'false_pass',
  held_by_acceptance: null,
  questions: 1,
  returns: 2,
  cost_usd: 0,
  tokens: 10,
  wall_ms: 1_000,
  base: 'b',
  commit: 'c',
  ...more,
})

test('an attempt in which nothing was measured counts in no rate, and its cost counts', () => {
  const record = (verdict: AttemptVerdict, cost_usd: number | null) => attempt(verdict, { cost_usd })
  const [crew] = summarizeArms([record('resolved', 1), record('false_pass', 2), record('error', 3)])
  expect(crew).toMatchObject({
    attempts: 2,
    errors: 1,
    resolved: { hits: 1, of: 2 },
    false_pass: { hits: 1, of: 2 },
    false_block: { hits: 0, of: 2 },
    cost_usd: 6,
    cost_usd_per_resolved: 6,
    tokens: 30,
    questions: 1,
    returns: 2,
  })
  expect(summarizeArms([record('resolved', null)])[0]).toMatchObject({ cost_usd: null, cost_usd_per_resolved: null })
})

describe('visible_hidden_gap', () => {
  test('is the share of red hidden tests in what was handed over, and an error is no attempt', () => {
    const verdicts = ['resolved', 'resolved', 'false_pass', 'blocked', 'false_block'] as const
    const error = attempt('error', { delivered: true })
    const [crew] = summarizeArms([...verdicts.map((verdict) => attempt(verdict)), error])
    expect(crew).toMatchObject({ visible_hidden_gap: { hits: 1, of: 3 }, false_pass: { hits: 1, of: 5 } })
  })

  test('is null where nothing was handed over, and for the bare loop, which no visible test has passed', () => {
    expect(summarizeArms([attempt('blocked')])[0]?.visible_hidden_gap).toBeNull()
    expect(summarizeArms([attempt('false_pass', { arm: 'solo' })])[0]?.visible_hidden_gap).toBeNull()
  })
})

describe('acceptance_false_block', () => {
  const held = { held_by_acceptance: true }
  const quiet = { held_by_acceptance: false }

  test('is the share of right work that acceptance tests held, among the attempts in which they ran', () => {
    const [crew] = summarizeArms([
      attempt('false_block', held),
      // A person has allowed the finding.
      attempt('resolved', held),
      // In order: held correctly; not held by the tests; the tests did not run.
      attempt('blocked', held),
      attempt('false_pass', held),
      attempt('false_block', quiet),
      attempt('false_block'),
      attempt('resolved', quiet),
      attempt('error', held),
    ])
    expect(crew).toMatchObject({ acceptance_false_block: { hits: 2, of: 6 }, false_block: { hits: 3, of: 7 } })
  })

  test('is null where none ran', () => {
    expect(summarizeArms([attempt('false_block'), attempt('error', held)])[0]?.acceptance_false_block).toBeNull()
  })
})

describe('attempts with and without acceptance tests', () => {
  const pair = (['without', 'with'] as const).map((acceptance) => attempt('resolved', { acceptance }))
  const records = [attempt('blocked'), ...pair]

  test('are arms of their own beside those that say nothing of it', () => {
    const of = ({ arm, acceptance }: Pick<AttemptRecord, 'arm' | 'acceptance'>) => [arm, acceptance]
    expect(summarizeArms(records).map(of)).toEqual([
      ['crew', null],
      ['crew', 'with'],
      ['crew', 'without'],
    ])
    expect(summarizeTasks(records).map(of)).toEqual([
      ['crew', null],
      ['crew', 'without'],
      ['crew', 'with'],
    ])
  })

  test('have names, predictions and columns of their own', () => {
    expect(records.map(attemptName)).toEqual(['a.crew.1', 'a.crew-without-acceptance.1', 'a.crew-with-acceptance.1'])
    const lines = records.map((record) => JSON.parse(predictionLine(record, { models: 'm', patch: '' })))
    expect(lines.map((line) => line.model_name_or_path)).toEqual([
      'drydock-crew-m',
      'drydock-crew-without-acceptance-m',
      'drydock-crew-with-acceptance-m',
    ])
    const report = markdownOf(benchReport({ suite: 's', version: '0', models: 'm', play: null }, records))
    expect(report).toContain('|  | crew | crew, with acceptance tests | crew, without acceptance tests |')
    expect(report).toContain('| visible hidden gap | – | 0.0 % (0 of 1; 0.0–79.3) | 0.0 % (0 of 1; 0.0–79.3) |')
    expect(report).toContain('| acceptance false block | – | – | – |')
    expect(report).toContain('| a | crew, with acceptance tests | 1 |')
  })
})
