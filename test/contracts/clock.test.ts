import { describe, expect, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { createMemoryClock } from '../world/clock.ts'

/** A clock, with a way to let its time pass. */
const clocks = [
  { name: 'system', open: () => ({ clock: createSystemClock(), pass: async () => {} }) },
  {
    name: 'memory',
    open() {
      const clock = createMemoryClock()
      return { clock, pass: (ms: number) => clock.advance(ms) }
    },
  },
]

describe.each(clocks)('the $name clock', ({ open }) => {
  test('sleeps no shorter than it is told to', async () => {
    const { clock, pass } = open()
    const begin = clock.now().getTime()
    const slept = clock.sleep(20)
    await pass(20)
    await slept
    // A timer of Node may fire a millisecond early by the machine's clock.
    expect(clock.now().getTime() - begin).toBeGreaterThanOrEqual(19)
  })

  test('ends the shorter of two sleeps first', async () => {
    const { clock, pass } = open()
    const ended: string[] = []
    const both = [clock.sleep(40).then(() => ended.push('long')), clock.sleep(1).then(() => ended.push('short'))]
    await pass(40)
    await Promise.all(both)
    expect(ended).toEqual(['short', 'long'])
  })

  test('sleeps no time without being moved', async () => {
    const { clock } = open()
    await clock.sleep(0)
    await clock.sleep(-1)
  })

  test('rejects with the reason of a signal, at once when it is aborted already', async () => {
    const { clock } = open()
    const [reason, controller] = [new Error('enough'), new AbortController()]
    const slept = clock.sleep(3_600_000, { signal: controller.signal })
    controller.abort(reason)
    await expect(slept).rejects.toBe(reason)
    await expect(clock.sleep(0, { signal: controller.signal })).rejects.toBe(reason)
  })

  test('continues from the agreed time', () => {
    const { clock } = open()
    const agreed = new Date('2040-02-03T04:05:06.000Z')
    clock.agree?.(agreed)
    expect(clock.now().getTime() - agreed.getTime()).toBeGreaterThanOrEqual(0)
    expect(clock.now().getTime() - agreed.getTime()).toBeLessThan(60_000)
  })

  test('draws numbers from 0 to 1 that differ', () => {
    const { clock } = open()
    const drawn = Array.from({ length: 1_000 }, () => clock.random())
    expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true)
    expect(new Set(drawn).size).toBe(1_000)
  })
})

describe('the memory clock', () => {
  test('stands still until it is moved, and each sleep ends at its own time', async () => {
    const clock = createMemoryClock(new Date(0))
    const woken: number[] = []
    const twice = async () => {
      for (let n = 0; n < 2; n += 1) {
        await clock.sleep(30)
        woken.push(clock.now().getTime())
      }
    }
    const slept = twice()
    expect(clock.next()).toEqual(new Date(30))
    await clock.advance(29)
    expect([woken, clock.now().getTime()]).toEqual([[], 29])
    await clock.advance(71)
    await slept
    expect([woken, clock.now().getTime(), clock.next()]).toEqual([[30, 60], 100, null])
  })
})
