import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeVerifierWorld, processesWith, type VerifierWorld } from '../verifier-world.ts'

let world: VerifierWorld
beforeAll(async () => {
  world = await makeVerifierWorld()
})
afterAll(() => world.close())

test.each([
  ['has ended', 'exit 0'],
  ['is out of time', 'while :; do sleep 86451; done'],
])('a step that forks without end leaves no process when it %s', async (_what, end) => {
  const command = `sleep 86451 & f() { f | f & }; f; ${end}`
  const { status } = await world.ask({ steps: [{ command, timeoutSec: 2 }] })
  expect(processesWith('sleep 86451')).toBe(0)
  // A step without room for another process fails.
  expect(['PASS', 'FAIL']).toContain(status)
})

test('a step that prints 2 GB takes bounded memory', async () => {
  const before = process.memoryUsage.rss()
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 10)
  const command = 'head -c 2000000000 /dev/zero; echo; seq 300; exit 1'
  const answer = await world.ask({ steps: [{ command, timeoutSec: 60 }] })
  clearInterval(timer)
  expect(most - before).toBeLessThan(150 * 1024 ** 2)
  expect(answer.tail_log?.split('\n')).toEqual(Array.from({ length: 200 }, (_, i) => `${i + 101}`))
})
