import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limits } from '../../../src/domain/limits.ts'
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
  // One that finds no room for another process fails.
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

let hostFile: string

beforeAll(async () => {
  world = await makeVerifierWorld()
  hostFile = join(world.top, 'host-file')
  writeFileSync(hostFile, 'the host’s', { mode: 0o640 })
})

afterAll(() => {
  // Nothing that a step did has come here.
  expect(readFileSync(hostFile, 'utf8')).toBe('the host’s')
  expect(statSync(hostFile).mode & 0o777).toBe(0o640)
  world.close()
})

const logOf = ({ run_id }: { readonly run_id: string }) => world.read(run_id, 'logs/combined.log')

describe('a step that prints', () => {
  test('more than a log holds takes bounded memory, has logs that are cut and the true end as its tail', async () => {
    const before = process.memoryUsage.rss()
    let most = before
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss())
    }, 10)
    const command = `head -c ${2 * limits.logBytes} /dev/zero; echo; seq 300; exit 1`
    const answer = await world.ask({ steps: [{ command, timeoutSec: 60 }] })
    clearInterval(timer)
    expect(most - before).toBeLessThan(150 * 1024 ** 2)
    expect(answer.tail_log?.split('\n')).toEqual(Array.from({ length: 200 }, (_, i) => `${i + 101}`))
    for (const log of ['combined', 'step-01-test']) {
      const size = statSync(join(world.folder(answer.run_id), `logs/${log}.log`)).size
      expect(size).toBeGreaterThan(limits.logBytes)
      expect(size).toBeLessThan(limits.logBytes + 100)
    }
    expect(logOf(answer).slice(-60)).toContain(`[drydock] the log is cut at ${limits.logBytes} bytes`)
  })

  test('exactly what a log holds has one that is not said to be cut', async () => {
    const answer = await world.ask(`head -c ${limits.logBytes} /dev/zero`)
    expect(statSync(join(world.folder(answer.run_id), 'logs/combined.log')).size).toBe(limits.logBytes)
  })
})
