import { afterEach, expect, test } from 'vitest'
import { workOnAll } from '../../src/app/wait/work-on-all.ts'
import { DrydockError, type ErrorCode } from '../../src/domain/drydock-error.ts'
import { createMemoryClock } from '../world/clock.ts'
import { createMemoryFixture, type MemoryFixture } from '../world/fixture.ts'
import { greenLanes, resultOf } from './world/fixture.ts'

let fixture: MemoryFixture
afterEach(() => fixture.remove())

/**
 * A process that keeps running like `drydock serve`, and whose workspaces cannot be created for
 * these reasons.
 */
async function serving(failures: readonly ErrorCode[]) {
  const clock = createMemoryClock()
  const left = [...failures]
  fixture = await createMemoryFixture({
    clock,
    extend: ({ workTrees }) => ({
      workTrees: {
        ...workTrees,
        async prepare(...given) {
          const code = left.shift()
          if (code !== undefined) throw new DrydockError(code, 'The disk is read-only.', { todo: 'Mount it.' })
          return workTrees.prepare(...given)
        },
      },
    }),
  })
  const { process, drydock } = await fixture.begin()
  const stop = new AbortController()
  const working = workOnAll(drydock, { coders: 1, own: true, onNote: () => {}, stop: stop.signal })
  await expect.poll(() => drydock.ownerFacts()).not.toBeNull()
  return {
    async pass(seconds: number) {
      for (let passed = 0; passed < seconds; passed += 5) {
        await clock.advance(5_000)
        for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
      }
    },
    async end() {
      stop.abort()
      await working
      process.exit(0)
    },
  }
}

const task = async (...more: readonly string[]) =>
  fixture.launch(['task', 'say new', '--json', '--model', await fixture.replay(greenLanes), ...more])

test('a command that follows a run continues while the infrastructure stops it, and says when it is retried', async () => {
  const { pass, end } = await serving(['git_failed', 'git_failed'])
  const following = await task()
  await following.line(/The disk is read-only\..* is tried again by itself at \d{4}-.* UTC\./)
  await pass(75)
  await following.line(/is tried again by itself at .* UTC, after 1 try that failed\./)
  await pass(135)
  const ended = await following.ended
  expect([ended.exitCode, resultOf(ended).status]).toEqual([0, 'DONE'])
  expect(ended.events.filter(({ type }) => type === 'result')).toHaveLength(1)
  await end()
})

test('a run whose error time does not mend ends the command that follows it', async () => {
  const { end } = await serving(['bad_config'])
  const ended = await (await task()).ended
  expect([ended.exitCode, resultOf(ended).status]).toEqual([2, 'ERROR'])
  await end()
})

test('a command that follows a run does not wait for another try once the process has ended that would begin it', async () => {
  const { end } = await serving(['git_failed'])
  const following = await task()
  await following.line(/is tried again by itself/)
  await end()
  const ended = await following.ended
  expect([ended.exitCode, resultOf(ended).status]).toEqual([4, 'ERROR'])
})

test('a run of the command alone ends with its error', async () => {
  await serving(['git_failed']).then(({ end }) => end())
  const ended = await (await task()).ended
  expect([ended.exitCode, resultOf(ended).status]).toEqual([4, 'ERROR'])
  expect(ended.stderr).not.toContain('tried again')
})
