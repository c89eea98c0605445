import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changedLines } from '../../../src/domain/gate/changed-lines.ts'
import type { TrackedFinding } from '../../../src/domain/gate/finding.ts'
import { type GateFinding, listed, trackGate, unaccepted } from '../../../src/domain/gate/gate-finding.ts'
import { limits } from '../../../src/domain/limits.ts'

const found = (id: string): GateFinding => ({
  id,
  kind: 'configuration',
  severity: 'major',
  file: 'a.json',
  claim: 'c',
  evidence: 'e',
})
const track = (
  before: readonly TrackedFinding[],
  ids: readonly string[],
  accepted: readonly string[] = [],
  round = 1,
) => trackGate(before, { found: ids.map(found), accepted, round })
const states = (tracked: readonly TrackedFinding[]) => tracked.map(({ id, state, round }) => `${id} ${state} ${round}`)

describe('findings of the gate', () => {
  test('are the gate’s, open from the round in which they were found', () => {
    const { kind: _kind, ...finding } = found('g-1')
    expect(track([], ['g-1'], [], 3)).toEqual([{ ...finding, by: 'gate', state: 'open', round: 3 }])
  })

  test('are closed when they are gone, and opened again when they come back', () => {
    const first = track([], ['g-1', 'g-2'])
    const second = track(first, ['g-2'], [], 2)
    expect(states(second)).toEqual(['g-1 closed 1', 'g-2 open 1'])
    expect(states(track(second, ['g-1'], [], 3))).toEqual(['g-1 open 1', 'g-2 closed 1'])
  })

  test('stay accepted, also while they are gone, and no other is', () => {
    const accepted = track(track([], ['g-1']), ['g-1'], ['g-1'])
    expect(states(track(track(accepted, []), ['g-1', 'g-2']))).toEqual(['g-1 accepted 1', 'g-2 open 1'])
  })

  test('leave those of a reviewer alone, of whatever id', () => {
    const own: TrackedFinding = { ...found('g-1'), state: 'open', round: 1 }
    expect(track([own], [], ['g-1'])).toEqual([own])
  })

  test('are unaccepted until their own id is accepted', () => {
    const tracked = track([], ['g-1', 'g-2'], ['g-1'])
    expect(unaccepted([found('g-1'), found('g-2'), found('g-3')], tracked).map(({ id }) => id)).toEqual(['g-2', 'g-3'])
  })

  test('list what a reader takes in', () => {
    const most = limits.gate.listed
    expect(listed(['a', 'b'])).toBe('- a\n- b')
    expect(
      listed(Array(most + 2).fill('x'))
        .split('\n')
        .at(-1),
    ).toBe('- and 2 more')
    expect(listed(['x'.repeat(10_000)]).length).toBe(limits.gate.lineChars + 2)
  })
})

describe('the changed lines of a diff', () => {
  const head = 'diff --git a/a.sql b/a.sql\nindex 1..2 100644\n--- a/a.sql\n+++ b/a.sql\n'

  test('are those of its hunks, also such that look like a file’s name', () => {
    const lines = ['--- drop table', '+++ i', ' same', '-old', '+new']
    expect(changedLines(`${head}@@ -1,3 +1,3 @@\n${lines.join('\n')}\n${head}`)).toEqual(
      lines.filter((line) => !line.startsWith(' ')),
    )
  })

  test('are none of what is only renamed', () => {
    expect(changedLines('diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n')).toEqual([])
  })

  test('of any hunk are found', () => {
    const line = fc.tuple(
      fc.constantFrom('+', '-', ' '),
      fc.string().map((text) => text.replace(/[\n\r]/g, '')),
    )
    fc.assert(
      fc.property(fc.array(line), (all) => {
        const lines = all.map(([sign, text]) => sign + text)
        expect(changedLines(`${head}@@ -1 +1 @@\n${lines.join('\n')}`)).toEqual(
          lines.filter((each) => /^[+-]/.test(each)),
        )
      }),
    )
  })
})
