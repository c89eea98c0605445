import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextMerge } from '../../src/domain/merge/merge.ts'

const queueOf = (...names: string[]) => names.map((name, at) => ({ name, at }))
const next = (queue: readonly string[], order: readonly string[], settled: readonly string[] = []) =>
  nextMerge(queueOf(...queue), { order, settled: new Set(settled) })?.name ?? null

describe('the next merge', () => {
  test('is the one that was approved first', () => {
    expect(nextMerge(queueOf('b', 'a'), { order: [], settled: new Set() })).toEqual({ name: 'b', at: 0 })
    expect(next([], [])).toBeNull()
  })

  test('is the one that a recording demands, whichever was approved first', () => {
    expect(next(['b', 'c', 'a'], ['a', 'b'])).toBe('a')
    expect(next(['b', 'c'], ['a', 'b'], ['a'])).toBe('b')
    expect(next(['b', 'a'], ['a', 'b'], ['x'])).toBe('a')
  })

  test('waits for the one that is demanded, though others are there', () => {
    expect(next(['b', 'c'], ['a', 'b'])).toBeNull()
  })

  test('is again the first approved once all that is demanded is settled, in whichever order that came', () => {
    expect(next(['d', 'c'], ['a', 'b'], ['b', 'a'])).toBe('d')
  })

  test('takes every story once, those demanded in their order and the others as they were approved', () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'))
    fc.assert(
      fc.property(names, names, (approved, demanded) => {
        const order = demanded.filter((name) => approved.includes(name))
        const merged: string[] = []
        while (merged.length < approved.length) {
          const left = approved.filter((name) => !merged.includes(name))
          const name = next(left, order, merged)
          if (name === null) throw new Error(`nothing is next of ${left}`)
          merged.push(name)
        }
        expect(merged).toEqual([...order, ...approved.filter((name) => !order.includes(name))])
      }),
    )
  })
})
