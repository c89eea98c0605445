import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { LaneStop } from '../../src/domain/lane/lane.ts'
import { editorLimits } from '../../src/domain/lane/next-request.ts'
import { createTurnGuard } from '../../src/workflow/editor/agent/turn-guard.ts'
import { laneOf } from '../agents/asking.ts'

/** A turn of an agent without a gateway; its looks at the files end when the test answers them. */
function guarded(iterations = 150) {
  const stops: LaneStop[] = []
  const looks: ((files: string | null) => void)[] = []
  const guard = createTurnGuard({
    lane: laneOf({ role: 'editor_coding', limits: editorLimits(iterations, 25) }),
    seen: 0,
    countsTools: true,
    onStop: (stop) => void stops.push(stop),
    look: () => new Promise((resolve) => void looks.push(resolve)),
  })
  let calls = 0
  return {
    stops,
    counts: guard.counts,
    /** Alternating calls that show nothing new. */
    call(times: number): void {
      for (let i = 0; i < times; i += 1) {
        calls += 1
        const command = calls % 2 === 0 ? 'true' : 'cat value.txt'
        const call = { id: `${calls}`, title: command, kind: 'execute', paths: [], input: command, output: '' } as const
        guard.take({ type: 'tool', status: 'completed', ...call })
      }
    },
    /** Answers the running look, of which there is only one. */
    async see(files: string | null): Promise<void> {
      expect(looks).toHaveLength(1)
      looks.pop()?.(files)
      await setImmediate()
    },
    looks,
  }
}

test('an agent that takes turns with two calls is stopped for that, when the first look is slower than all of them', async () => {
  const { call, see, stops } = guarded()
  call(160)
  await see('same')
  expect(stops).toEqual([])
  await see('same')
  expect(stops).toEqual(['alternating'])
})

test('files that have changed between two looks restart the count', async () => {
  const { call, see, stops, looks, counts } = guarded()
  call(12)
  await see('before')
  call(12)
  await see('after')
  expect(stops).toEqual([])
  expect(counts().progress.at).toBe(24)
  expect(looks).toHaveLength(0)
  call(12)
  await see('after')
  expect(stops).toEqual(['alternating'])
})

test('actions of an agent before the end of the first look are not held against it', async () => {
  const { call, see, stops, looks } = guarded()
  call(40)
  await see('changed by then')
  call(11)
  expect([stops, looks]).toEqual([[], []])
  call(1)
  await see('changed by then')
  expect(stops).toEqual(['alternating'])
})

test('an agent whose calls are used up while files change is stopped for their number', async () => {
  const { call, see, stops } = guarded(30)
  call(30)
  await see('before')
  await see('after')
  expect(stops).toEqual(['iteration_limit'])
})

test('an agent whose files cannot be looked at is stopped by what it shows', async () => {
  const { call, see, stops } = guarded()
  call(12)
  await see(null)
  call(12)
  await see(null)
  expect(stops).toEqual(['alternating'])
})
