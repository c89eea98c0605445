import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts'
import { actAfter } from '../../src/ports/act-after.ts'

const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href)

describe('the clock of the system', () => {
  test('keeps a process alive unless it is told not to', () => {
    const sleeping = (ms: number, options: object) => `
      import { createSystemClock } from ${source('adapters/clock/system-clock.ts')}
      createSystemClock().sleep(${ms}, ${JSON.stringify(options)}).then(() => console.log('awake'))`
    const run = (script: string) =>
      execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    expect(run(sleeping(60_000, { keepsAlive: false }))).toBe('')
    expect(run(sleeping(1, {}))).toBe('awake\n')
  })
})

describe('delayed work', () => {
  test('is done after its time', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    actAfter(createSystemClock(), { ms: 1 }, resolve)
    await promise
  })

  test('is not done when it is cancelled, even after its time is over', async () => {
    const woken = Promise.withResolvers<void>()
    let done = false
    const cancel = actAfter({ sleep: () => woken.promise }, { ms: 1 }, () => {
      done = true
    })
    woken.resolve()
    cancel()
    await woken.promise
    await new Promise(setImmediate)
    expect(done).toBe(false)
  })
})
