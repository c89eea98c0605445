import { describe, expect, test } from 'vitest'
import { effectiveVerdict, type NewFinding, trackFindings } from '../../../src/domain/gate/finding.ts'

const finding = (severity: NewFinding['severity'], more: Partial<NewFinding> = {}): NewFinding => ({
  severity,
  file: 'a.ts',
  claim: 'wrong',
  evidence: 'line 1',
  ...more,
})

const first = trackFindings([], {
  findings: [finding('major'), finding('minor', { id: 'own' }), finding('blocker')],
  accepted: [],
  round: 1,
  prefix: 'C',
})

describe('findings', () => {
  test('have ids from their first round on: their reviewer’s, or free ones', () => {
    expect(first.map(({ id, state, round }) => ({ id, state, round }))).toEqual([
      { id: 'C1', state: 'open', round: 1 },
      { id: 'own', state: 'open', round: 1 },
      { id: 'C2', state: 'open', round: 1 },
    ])
  })

  test('are closed when a later round does not name them, stay open when it does, and keep their ids', () => {
    const again = trackFindings(first, {
      findings: [finding('minor', { id: 'C1', claim: 'less wrong' }), finding('major')],
      accepted: ['own'],
      round: 2,
      prefix: 'C',
    })
    expect(again.map(({ id, severity, state, round }) => ({ id, severity, state, round }))).toEqual([
      { id: 'C1', severity: 'minor', state: 'open', round: 1 },
      { id: 'own', severity: 'minor', state: 'accepted', round: 1 },
      { id: 'C2', severity: 'blocker', state: 'closed', round: 1 },
      { id: 'C3', severity: 'major', state: 'open', round: 2 },
    ])
  })

  test('of a reviewer cannot have an id of the gate, under which a finding of the gate would be missed', () => {
    const [taken] = trackFindings([], {
      findings: [finding('minor', { id: 'g-0123abcd4567' })],
      accepted: ['g-0123abcd4567'],
      round: 1,
      prefix: 'C',
    })
    expect([taken?.id, taken?.state]).toEqual(['C1', 'open'])
  })

  test('that were accepted stay so until they are named again', () => {
    const reply = { findings: [], accepted: [], round: 3, prefix: 'C' }
    const accepted = trackFindings(first, { ...reply, accepted: ['C1'] })
    const [still] = trackFindings(accepted, reply)
    expect(still?.state).toBe('accepted')
    const [open] = trackFindings(accepted, { ...reply, findings: [finding('major', { id: 'C1' })] })
    expect(open?.state).toBe('open')
  })
})

describe('the effective verdict', () => {
  const of = (severity: NewFinding['severity'], accepted: readonly string[] = []) =>
    trackFindings([], { findings: [finding(severity, { id: 'F' })], accepted, round: 1, prefix: 'C' })

  test('is NEEDS_CHANGES with an open blocker or major finding, whatever was said', () => {
    expect(effectiveVerdict('APPROVED', of('blocker'))).toBe('NEEDS_CHANGES')
    expect(effectiveVerdict('APPROVED', of('major'))).toBe('NEEDS_CHANGES')
  })

  test('is APPROVED with none, or with minor or accepted ones only', () => {
    expect(effectiveVerdict('NEEDS_CHANGES', [])).toBe('APPROVED')
    expect(effectiveVerdict('NEEDS_CHANGES', of('minor'))).toBe('APPROVED')
    expect(effectiveVerdict('NEEDS_CHANGES', of('blocker', ['F']))).toBe('APPROVED')
  })

  test('is REJECTED when it was said', () => {
    expect(effectiveVerdict('REJECTED', of('minor'))).toBe('REJECTED')
  })
})
