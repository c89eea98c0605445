import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../../src/adapters/clock/system-clock.ts'
import { createModel } from '../../../src/adapters/models/create-model.ts'
import { createGates } from '../../../src/adapters/models/gate.ts'
import { limits } from '../../../src/domain/limits.ts'
import type { Model, ModelReply } from '../../../src/ports/model.ts'
import type { WireTurn } from '../../wire/turn.ts'
import { ask, hello, requestOf, wireSettings } from '../../wire/wire-models.ts'
import { type Script, startWireServer } from '../../wire/wire-server.ts'

const patience = { failures: 3, firstPauseMs: 1_500, longestPauseMs: 3_000 }
const clock = { ...createSystemClock(), random: () => 1 }
const overloaded: WireTurn = { error: { kind: 'overloaded', message: 'busy' } }

/** Models of two providers behind the gates of one process. */
async function world(script: Script) {
  const wire = await startWireServer(script)
  onTestFinished(() => wire.close())
  const gates = createGates(clock, patience)
  const model = (id: string) => createModel({ id, ...wireSettings(wire.origin), gates })
  return { wire, large: model('anthropic:large'), small: model('anthropic:small'), other: model('openai:gpt-5') }
}

function errorOf(reply: ModelReply) {
  if (reply.stop !== 'error') throw new Error(`a reply instead of an error: ${reply.stop}`)
  return reply.error
}

async function failThrice(model: Model) {
  for (let call = 0; call < 2; call += 1) expect(errorOf(await ask(model))).not.toHaveProperty('outage')
  return errorOf(await ask(model))
}

/** Matches a pause that has just started. */
const upTo = (pause: number) => expect.toSatisfy((ms: number) => ms > 0.8 * pause && ms <= pause)

const pauseOver = (ms: number | null) => delay((ms ?? 0) + 2)

test('a provider that failed three times in a row is sent nothing, by whichever model, and another is', async () => {
  const { wire, large, small, other } = await world(({ dialect }) =>
    dialect === 'anthropic' ? overloaded : { text: 'Yes.' },
  )
  const third = await failThrice(large)
  expect(third).toMatchObject({ kind: 'overloaded', retryable: true, outage: true, retryAfterMs: upTo(1_500) })
  for (const model of [large, small]) {
    expect(errorOf(await ask(model))).toEqual({
      kind: 'suspended',
      message: 'anthropic answered 529: busy',
      retryable: true,
      retryAfterMs: expect.toSatisfy((ms: number) => ms > 0 && ms <= 1_500),
    })
  }
  expect(wire.requests).toHaveLength(3)
  expect(await ask(other)).toMatchObject({ stop: 'end' })
})

test('when the pause is over one request tries, and those that wait go with its answer', async () => {
  const probe = Promise.withResolvers<void>()
  const probed = Promise.withResolvers<void>()
  const { wire, large, small, other } = await world(({ dialect }, number) => {
    if (dialect !== 'anthropic') return { text: 'Yes.' }
    if (number <= 3) return overloaded
    probed.resolve()
    return { text: 'Back.', after: probe.promise }
  })
  await pauseOver((await failThrice(large)).retryAfterMs)
  const replies = [large, small, small, large].map((model) => ask(model))
  await probed.promise
  // Once another provider has answered, the other requests would have arrived, too.
  await ask(other)
  expect(wire.requests.filter(({ dialect }) => dialect === 'anthropic')).toHaveLength(4)
  probe.resolve()
  expect((await Promise.all(replies)).map(({ stop }) => stop)).toEqual(['end', 'end', 'end', 'end'])
  expect(wire.requests.filter(({ dialect }) => dialect === 'anthropic')).toHaveLength(7)
})

test('those that wait for a probe that fails are told, and the pause is longer', async () => {
  const { wire, large, small } = await world(() => overloaded)
  await pauseOver((await failThrice(large)).retryAfterMs)
  const replies = await Promise.all([large, small, small].map((model) => ask(model)))
  expect(replies.map((reply) => errorOf(reply).kind).sort()).toEqual(['overloaded', 'suspended', 'suspended'])
  expect(replies.map(errorOf).find(({ outage }) => outage)).toMatchObject({
    kind: 'overloaded',
    retryAfterMs: upTo(3_000),
  })
  expect(wire.requests).toHaveLength(4)
})

test('a probe that is given up says nothing: the next one tries', async () => {
  const probed = Promise.withResolvers<void>()
  const { wire, large, small } = await world((_, number) => {
    if (number === 4) probed.resolve()
    return number <= 3 ? overloaded : number === 4 ? { fault: 'hang' } : { text: 'Back.' }
  })
  await pauseOver((await failThrice(large)).retryAfterMs)
  const abort = new AbortController()
  const probe = large.reply(requestOf(hello), abort.signal)
  const waits = new AbortController()
  const waiting = small.reply(requestOf(hello), waits.signal)
  waits.abort()
  expect(errorOf(await waiting)).toMatchObject({ kind: 'interrupted' })
  const next = ask(small)
  await probed.promise
  abort.abort()
  expect(errorOf(await probe)).toMatchObject({ kind: 'interrupted' })
  expect(await next).toMatchObject({ stop: 'end', text: 'Back.' })
  expect(wire.requests).toHaveLength(5)
})

test.each(['bad_request', 'unknown_model', 'auth'] as const)(
  'a refusal of one request as %s is an answer, and not an outage',
  async (kind) => {
    const { wire, large } = await world((_, number) => (number % 3 === 0 ? { error: { kind } } : overloaded))
    for (let call = 1; call <= 9; call += 1) expect(errorOf(await ask(large)).kind).not.toBe('suspended')
    expect(wire.requests).toHaveLength(9)
  },
)

test('a short wait that the provider asks of one is waited for by all', async () => {
  const times: number[] = []
  const { large, small } = await world((_, number) => {
    times.push(Date.now())
    return number === 1 ? { error: { kind: 'rate_limited', retryAfterMs: 150 } } : { text: 'Yes.' }
  })
  expect(errorOf(await ask(large))).toMatchObject({ kind: 'rate_limited', retryAfterMs: 150 })
  await Promise.all([ask(small), ask(large)])
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(149)
})

test('for a long one all are suspended', async () => {
  const { wire, large, small } = await world(() => ({ refusal: { status: 429, headers: { 'retry-after': '70' } } }))
  await ask(large)
  expect(errorOf(await ask(small))).toMatchObject({
    kind: 'suspended',
    message: expect.stringContaining('answered 429'),
    retryAfterMs: expect.toSatisfy((ms: number) => ms > 69_000 && ms <= 70_000),
  })
  expect(wire.requests).toHaveLength(1)
})

test('the rate limits in the headers of an answer are respected', async () => {
  const left = (reset: string) => ({
    'x-ratelimit-limit-requests': '1',
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': reset,
  })
  const times: number[] = []
  const { wire, other } = await world((_, number) => {
    times.push(Date.now())
    return { text: 'Yes.', headers: left(number === 1 ? '150ms' : '1m0s') }
  })
  for (let call = 0; call < 2; call += 1) expect(await ask(other)).toMatchObject({ stop: 'end' })
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(149)
  expect(errorOf(await ask(other))).toMatchObject({
    kind: 'suspended',
    message: 'openai: the limit of requests a minute is reached',
  })
  expect(wire.requests).toHaveLength(2)
})

test('after the provider was crowded fewer requests run at once', async () => {
  const held = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  const arrived = Promise.withResolvers<void>()
  const order: string[] = []
  let asked = 0
  const { large, other } = await world(({ dialect }) => {
    if (dialect !== 'anthropic') return { text: 'Yes.' }
    const after = held[asked]?.promise ?? Promise.resolve()
    asked += 1
    order.push(`request ${asked}`)
    if (asked === 4) arrived.resolve()
    return asked === 1 ? { ...overloaded, after } : { text: 'Yes.', after }
  })
  const replies = held.map(() => ask(large))
  await arrived.promise
  held[0]?.resolve()
  await Promise.any(replies.map(async (reply) => errorOf(await reply)))
  const fifth = ask(large)
  await ask(other)
  order.push('one is answered')
  held[1]?.resolve()
  await fifth
  expect(order.slice(4)).toEqual(['one is answered', 'request 5'])
  for (const { resolve } of held) resolve()
  await Promise.all(replies)
})

test('a Run with many lanes leaves the next place at a provider to one that has none', async () => {
  const gate = createGates(clock, patience).of({ provider: 'wire', baseURL: 'http://127.0.0.1' })
  const { signal } = new AbortController()
  const entered: string[] = []
  const enter = async (run: string) => {
    const entry = await gate.enter(run, signal)
    if (entry.type === 'closed') throw new Error(entry.reason)
    entered.push(run)
    return entry
  }
  const large = Array.from({ length: limits.provider.calls + 3 }, () => enter('large'))
  const small = [enter('small'), enter('small')]
  const [first, second, third] = large
  expect((await first)?.leave({ type: 'nothing' })).toBeNull()
  await small[0]
  ;(await second)?.leave({ type: 'nothing' })
  await small[1]
  ;(await third)?.leave({ type: 'nothing' })
  await large[limits.provider.calls]
  expect(entered.slice(limits.provider.calls)).toEqual(['small', 'small', 'large'])
})

test('if only one request may run at a time, Runs take turns, whatever their number of lanes', async () => {
  const gate = createGates(clock, { ...patience, failures: 100 }).of({ provider: 'wire', baseURL: 'http://127.0.0.1' })
  const order: string[] = []
  const send = async (run: string) => {
    const entry = await gate.enter(run, new AbortController().signal)
    if (entry.type === 'closed') throw new Error(entry.reason)
    order.push(run)
    await Promise.resolve()
    entry.leave({ type: 'failed', reason: 'busy', retryAfterMs: null, crowded: true })
  }
  await send('nobody')
  const few = async () => {
    for (let sent = 0; sent < 3; sent += 1) await send('small')
  }
  await Promise.all([...Array.from({ length: 60 }, () => send('large')), few()])
  expect(order.slice(0, 7)).toEqual(['nobody', 'large', 'small', 'large', 'small', 'large', 'small'])
  expect(order).toHaveLength(64)
})

test('a request of a model waits for the turn of its Run', async () => {
  const sent = Promise.withResolvers<void>()
  const first = Promise.withResolvers<void>()
  const order: string[] = []
  const { large, small } = await world(async ({ raw }, number) => {
    order.push(raw.includes('of the small Run') ? 'small' : 'large')
    if (number === 2) sent.resolve()
    if (number === 2) await first.promise
    return number < 3 ? overloaded : { text: 'Yes.' }
  })
  const askFor = (run: string) => ask(large, [{ role: 'user', text: `of the ${run} Run` }], { run })
  await askFor('large')
  const many = Array.from({ length: 4 }, () => askFor('large'))
  await sent.promise
  const one = ask(small, [{ role: 'user', text: 'of the small Run' }], { run: 'small' })
  first.resolve()
  await Promise.all([...many, one])
  expect(order.slice(0, 3)).toEqual(['large', 'large', 'small'])
})
