import { expect, test } from 'vitest'
import type { Answer } from '../../src/agents/answer-call.ts'
import { createReadsAhead } from '../../src/workflow/lane/reads-ahead.ts'
import { laneOf } from '../agents/asking.ts'

const read = (path: string) => ({ id: path, tool: 'read_file', input: { path } })
const replied = laneOf({ turn: 3, calls: [read('a')] })
const answers = [{ type: 'answered', call: read('a') }] as unknown as readonly Answer[]

test('what was read beside the commit of a reply is given to the next step once', async () => {
  const ahead = createReadsAhead()
  expect(await ahead.take(replied)).toBeNull()
  ahead.begin(replied, Promise.resolve(answers))
  expect(await ahead.take(replied)).toBe(answers)
  expect(await ahead.take(replied)).toBeNull()
})

test('a reply that was not stored leaves nothing to the one that is asked for in its place', async () => {
  const ahead = createReadsAhead()
  ahead.begin(replied, Promise.resolve(answers))
  ahead.drop(replied.id)
  expect(await ahead.take(replied)).toBeNull()
})

test('a lane that was taken elsewhere meanwhile gets nothing of an earlier turn', async () => {
  const ahead = createReadsAhead()
  ahead.begin(replied, Promise.resolve(answers))
  expect(await ahead.take(laneOf({ turn: 4, calls: [read('b')] }))).toBeNull()
  expect(await ahead.take(replied)).toBeNull()
})

test('a read that failed is not an answer: its step reads again', async () => {
  const ahead = createReadsAhead()
  ahead.begin(replied, Promise.reject(new Error('the sandbox has ended')))
  expect(await ahead.take(replied)).toBeNull()
})
