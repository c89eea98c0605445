import { describe, expect, test } from 'vitest'
import { countRepeated, editorLimits, nextRequest, type Repeated, scoutLimits } from '../../src/domain/lane.ts'

/** Kinds of the requests 1, 2, … of a lane. */
const kinds = (limits: ReturnType<typeof scoutLimits>, count: number) =>
  Array.from({ length: count }, (_, iterations) => nextRequest({ iterations, limits }))

describe('the requests of a lane', () => {
  test('of a scout are plain up to 7, warned from 8, only for the report from 12, and never 16', () => {
    expect(kinds(scoutLimits(), 18)).toEqual([
      ...Array(7).fill('plain'),
      ...Array(4).fill('warned'),
      ...Array(4).fill('terminal_only'),
      ...Array(3).fill('never'),
    ])
  })

  test.each([10, 40, 3])('of an editor are %i, the last two warned', (iterations) => {
    expect(kinds(editorLimits(iterations), iterations + 1)).toEqual([
      ...Array(iterations - 2).fill('plain'),
      ...Array(2).fill('warned'),
      'never',
    ])
  })

  test('of an editor that has one are one, warned', () => {
    expect(kinds(editorLimits(1), 2)).toEqual(['warned', 'never'])
  })
})

test('identical calls are counted while they come in a row', () => {
  const counts: number[] = []
  let last: Repeated | null = null
  for (const fingerprint of ['a', 'a', 'a', 'b', 'a', 'a']) {
    last = countRepeated(last, fingerprint)
    counts.push(last.count)
  }
  expect(counts).toEqual([1, 2, 3, 1, 1, 2])
})
