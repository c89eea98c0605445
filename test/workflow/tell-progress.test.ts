import { expect, onTestFinished, test } from 'vitest'
import type { Progress } from '../../src/domain/progress.ts'
import { tellingProgress } from '../../src/workflow/story/tell-progress.ts'
import { createMemoryClock } from '../world/clock.ts'
import { createMemoryStore } from '../world/store.ts'

const run = 'say-new-000000'

/**
 * The reported counts for work with these counts, each the given milliseconds after the previous
 * one.
 */
async function told(counts: readonly (readonly [done: number, afterMs: number])[]): Promise<readonly unknown[]> {
  const clock = createMemoryClock()
  const store = await createMemoryStore({ clock })
  onTestFinished(() => store.close())
  const answer = await tellingProgress(
    { engine: store as never, clock },
    { run, story: 'task' },
    async (onProgress) => {
      for (const [done, afterMs] of counts) {
        await clock.advance(afterMs)
        onProgress({ step: 'Counting objects', done, total: 9 })
      }
      return 'made'
    },
  )
  expect(answer).toBe('made')
  const events = await store.events({ run, after: 0, limit: 100 })
  return events.map(({ type, data }) => [type, (data as Progress).done])
}

test('work that takes no second says nothing', async () => {
  expect(
    await told([
      [1, 0],
      [2, 500],
      [9, 499],
    ]),
  ).toEqual([])
})

test('longer work says how far it is every two seconds, and has said it when it ends', async () => {
  const counts = [
    [1, 999],
    [2, 1],
    [3, 1_999],
    [4, 1],
    [5, 10],
    [6, 1_990],
  ] as const
  expect(await told(counts)).toEqual([2, 4, 6].map((done) => ['git_progress', done]))
})
