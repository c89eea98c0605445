import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { glossaryDoc, withOutcomes } from '../../../scripts/outcome-table.ts'
import { exitCodeOfOutcome } from '../../../src/domain/run/exit-code.ts'
import { outcomeCodes, outcomeTable } from '../../../src/domain/run/outcome-table.ts'

const rows = Object.entries(outcomeTable)

test('a user learns at most 12 outcomes, and each code belongs to exactly one of them', () => {
  expect(rows.length).toBeLessThanOrEqual(12)
  const codes = rows.flatMap(([, { codes }]) => Object.keys(codes))
  expect(codes.toSorted()).toEqual([...new Set(codes)].toSorted())
  expect(codes).toEqual(outcomeCodes)
  for (const [name, { codes }] of rows) expect(Object.keys(codes)[0]).toBe(name)
})

test('the exit codes are those that scripts rely on', () => {
  const exitOf = (code: (typeof outcomeCodes)[number]) =>
    exitCodeOfOutcome({ outcome: { code, sentence: '', tone: 'good' } })
  expect(Object.fromEntries(outcomeCodes.map((code) => [code, exitOf(code)]))).toEqual({
    ...{ DONE: 0, PASS: 0, FINDINGS: 3, HELD: 3, SKIPPED: 3, NOT_APPLIED: 2, NO_CHANGE: 3, TOO_VAGUE: 3, FAIL: 3 },
    ...{ STUCK: 3, REJECTED: 3, INFRA_ERROR: 4, ERROR: 4, CANCELLED: 5, WAITS_FOR_YOU: 6, PAUSED: 6 },
    ...{ BUDGET_REACHED: 7, INTERRUPTED: 130, WORKING: 130, QUEUED: 130, PAUSING: 130 },
  })
})

test('the glossary has the table of the code', async () => {
  const doc = await readFile(glossaryDoc, 'utf8')
  expect(withOutcomes(doc), 'run npm run docs').toBe(doc)
  expect(() => withOutcomes('no table')).toThrow('markers')
})
