import fc from 'fast-check'
import { expect, test } from 'vitest'
import { againstPeers, describeAgainstPeers, type Effort, workingMs } from '../../src/domain/story/against-peers.ts'

const effort = (id: string, calls: number, workingMs = calls): Effort => ({ id, calls, workingMs })

test('a story is set against the median of the others that have begun, from twice as much on', () => {
  const all = againstPeers([effort('a', 31, 10), effort('b', 10, 4), effort('c', 10, 6), effort('d', 0, 0)])
  expect(Object.fromEntries(all)).toEqual({
    a: { calls: 3.1, time: 2 },
    b: { calls: null, time: null },
    c: { calls: null, time: null },
    d: { calls: null, time: null },
  })
})

test('two stories, or two that have begun, say nothing', () => {
  const nothing = { calls: null, time: null }
  const two = [effort('a', 100), effort('b', 1)]
  expect([...againstPeers(two).values()]).toEqual([nothing, nothing])
  expect([...againstPeers([...two, effort('c', 0)]).values()]).toEqual([nothing, nothing, nothing])
})

test('every reported comparison is a factor of two or more, and never covers all of them', () => {
  const efforts = fc.array(fc.nat({ max: 1_000 }), { minLength: 3, maxLength: 20 })
  fc.assert(
    fc.property(efforts, (calls) => {
      const said = [...againstPeers(calls.map((each, i) => effort(String(i), each))).values()]
      const remarkable = said.flatMap(({ calls: times }) => times ?? [])
      expect(remarkable.every((times) => times >= 2)).toBe(true)
      expect(remarkable.length).toBeLessThanOrEqual(calls.length / 2)
    }),
  )
})

test('the time of a story is that in which somebody worked on it', () => {
  const at = (second: number) => new Date(second * 1_000).toISOString()
  const moves = [
    { at: at(70), to: 'CODING' },
    { at: at(40), to: 'ESCALATED' },
    { at: at(10), to: 'PLANNING' },
    { at: at(0), to: 'QUEUED' },
  ]
  expect(workingMs(moves, at(75))).toBe(35_000)
  expect(workingMs([{ at: at(80), to: 'DONE' }, ...moves], at(500))).toBe(40_000)
  expect(workingMs(moves, '')).toBe(30_000)
  expect(workingMs([], at(1))).toBe(0)
})

test('people are told of both, of one, or of none', () => {
  expect(describeAgainstPeers({ calls: 3.1, time: 2 })).toBe(
    '3.1× the calls and 2× the time of the median of its peers',
  )
  expect(describeAgainstPeers({ calls: null, time: 2.5 })).toBe('2.5× the time of the median of its peers')
  expect(describeAgainstPeers({ calls: null, time: null })).toBe(null)
})
