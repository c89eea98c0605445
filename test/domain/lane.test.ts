import { describe, expect, test } from 'vitest'
import { type Agent, type AgentRole, agentOf, countRepeated, type RepeatCount } from '../../src/domain/lane/lane.ts'
import { editorLimits, nextRequest, scoutLimits, softAndHard } from '../../src/domain/lane/next-request.ts'
import { noProgress } from '../../src/domain/lane/progress.ts'

/** Kinds of the requests 1, 2, … of a lane. */
const kinds = (limits: ReturnType<typeof scoutLimits>, count: number) =>
  Array.from({ length: count }, (_, iterations) => nextRequest({ iterations, limits, progress: noProgress }))

describe('the requests of a lane', () => {
  test('of a scout are plain up to 7, warned from 8, only for the report from 12, and never 16', () => {
    expect(kinds(scoutLimits(), 18)).toEqual([
      ...Array(7).fill('plain'),
      ...Array(4).fill('warned'),
      ...Array(4).fill('terminal_only'),
      ...Array(3).fill('never'),
    ])
  })

  test('of the architect are warned from soft on, only for the reply from soft + 4, and never from hard on', () => {
    expect(softAndHard({ soft: 8, hard: 16 })).toEqual(scoutLimits())
    expect(kinds(softAndHard({ soft: 2, hard: 9 }), 10)).toEqual([
      'plain',
      ...Array(4).fill('warned'),
      ...Array(3).fill('terminal_only'),
      ...Array(2).fill('never'),
    ])
  })

  test('of the architect are never only for the reply when hard comes within 4 of soft', () => {
    expect(kinds(softAndHard({ soft: 2, hard: 4 }), 5)).toEqual(['plain', 'warned', 'warned', 'never', 'never'])
    expect(kinds(softAndHard({ soft: 1, hard: 2 }), 2)).toEqual(['warned', 'never'])
  })

  test.each([10, 40, 4])('of an editor are %i, the last two only for what ends its work', (iterations) => {
    expect(kinds(editorLimits(iterations), iterations + 1)).toEqual([
      ...Array(iterations - 2).fill('plain'),
      ...Array(2).fill('terminal_only'),
      'never',
    ])
  })

  test('of an editor that has less than four are for everything', () => {
    expect(kinds(editorLimits(3), 4)).toEqual(['plain', 'warned', 'warned', 'never'])
    expect(kinds(editorLimits(2), 3)).toEqual(['warned', 'warned', 'never'])
  })

  test('of an editor end as soon when too many brought nothing new, and when too many in a row did', () => {
    const at = (iterations: number, progress: object, limits = editorLimits(100, 25, 40)) =>
      nextRequest({ iterations, limits, progress: { ...noProgress, ...progress } })
    expect([87, 88, 89, 90].map((iterations) => at(iterations, { at: iterations, fresh: 50 }))).toEqual([
      'plain',
      'terminal_only',
      'terminal_only',
      'never',
    ])
    expect([52, 53, 54].map((iterations) => at(iterations, { at: 30, fresh: 30 }))).toEqual([
      'plain',
      'terminal_only',
      'terminal_only',
    ])
    expect(at(53, { at: 50, fresh: 50 })).toBe('plain')
    // A guard of few turns leaves all of them to the lane.
    expect(at(33, { at: 30, fresh: 30 }, editorLimits(100, 4, 40))).toBe('plain')
  })

  test.each([20, 12, 6, 5, 2, 1])(
    'of a scout whose question has %i left are no more, and end with the report',
    (left) => {
      const all = kinds(scoutLimits(left), left + 1)
      const sent = all.filter((kind) => kind !== 'never')
      expect(sent).toHaveLength(Math.min(15, left))
      if (left > 3) expect(sent.at(-1)).toBe('terminal_only')
    },
  )

  test('of an editor that has one are one, warned', () => {
    expect(kinds(editorLimits(1), 2)).toEqual(['warned', 'never'])
  })
})

test('every role speaks as the architect, the editor or a scout', () => {
  const agents: Readonly<Record<AgentRole, Agent>> = {
    editor_planning: 'editor',
    editor_coding: 'editor',
    codebase_scout: 'scout',
    build_scout: 'scout',
    architect_interview: 'architect',
    architect_scoping: 'architect',
    architect_stories: 'architect',
    architect_review: 'architect',
    architect_question: 'architect',
    architect_budget: 'architect',
    architect_tests: 'architect',
    architect_quotes: 'architect',
    architect_judge: 'architect',
  }
  const roles = Object.keys(agents) as AgentRole[]
  expect(Object.fromEntries(roles.map((role) => [role, agentOf(role)]))).toEqual(agents)
})

test('identical calls are counted while they come in a row', () => {
  const counts: number[] = []
  let last: RepeatCount | null = null
  for (const fingerprint of ['a', 'a', 'a', 'b', 'a', 'a']) {
    last = countRepeated(last, fingerprint)
    counts.push(last.count)
  }
  expect(counts).toEqual([1, 2, 3, 1, 1, 2])
})
