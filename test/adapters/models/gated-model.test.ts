import { expect, test } from 'vitest'
import { createGates } from '../../../src/adapters/models/gate.ts'
import { gatedModel } from '../../../src/adapters/models/gated-model.ts'
import type { Model, ModelReply } from '../../../src/ports/model.ts'
import { ask, hello, requestOf } from '../../wire/wire-models.ts'
import { createMemoryClock } from '../../world/clock.ts'

const said: ModelReply = { stop: 'end', text: 'Done.', calls: [], raw: null, usage: null }
const busy: ModelReply = {
  stop: 'error',
  error: { kind: 'overloaded', message: 'busy', retryable: true, retryAfterMs: null },
  usage: null,
}

/** Models of one provider that answer from a list, with the number of their requests. */
function world(...replies: readonly ModelReply[]) {
  const clock = createMemoryClock()
  const left = [...replies]
  let asked = 0
  const model: Model = {
    id: 'memory:model',
    async reply() {
      asked += 1
      return left.shift() ?? said
    },
  }
  const gates = createGates(clock, { failures: 3, firstPauseMs: 1_000, longestPauseMs: 60_000 })
  const gated = () => gatedModel(model, gates.of({ provider: 'memory', baseURL: 'memory:' }))
  return { clock, first: gated(), second: gated(), asked: () => asked }
}

function errorOf(reply: ModelReply) {
  if (reply.stop !== 'error') throw new Error(`a reply instead of an error: ${reply.stop}`)
  return reply.error
}

test('any model is asked nothing more after three failures, until its provider is asked by one and answers', async () => {
  const { clock, first, second, asked } = world(busy, busy, busy, said)
  await ask(first)
  expect(errorOf(await ask(second))).not.toHaveProperty('outage')
  expect(errorOf(await ask(first))).toMatchObject({ kind: 'overloaded', outage: true })
  const closed = errorOf(await ask(second))
  expect(closed).toMatchObject({ kind: 'suspended', message: 'busy', retryable: true })
  expect(asked()).toBe(3)
  await clock.advance(closed.retryAfterMs ?? 0)
  expect(await ask(second)).toEqual(said)
  expect(await ask(first)).toEqual(said)
  expect(asked()).toBe(5)
})

test('a call that was given up says nothing of its provider', async () => {
  const { first, asked } = world(busy, busy, busy, busy)
  const aborted = AbortSignal.abort()
  for (let call = 0; call < 3; call += 1) await first.reply(requestOf(hello), aborted)
  expect(errorOf(await ask(first))).not.toHaveProperty('outage')
  expect(asked()).toBe(4)
})
