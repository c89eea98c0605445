import { expect, test } from 'vitest'
import { openCallAccount } from '../../../../src/workflow/lane/call-account.ts'
import type { WireTurn } from '../../../wire/turn.ts'
import { type GatewayRequest, gatewayWorld } from './gateway-world.ts'

const said = [{ role: 'user', content: 'Go on.' }]
const nothing = { microUsd: 0, tokens: 0 }
const small = (runUsd: number) => ({ runUsd, storyUsd: runUsd, runTokens: 10_000_000 })
const chat = (more: object = {}): GatewayRequest => ({
  path: '/v1/chat/completions',
  body: { model: 'local', messages: said, stream: true, stream_options: { include_usage: true }, ...more },
})

test.each([
  {
    provider: 'wire',
    ...chat({ max_tokens: 1_000 }),
    status: 400,
    error: { error: { type: 'insufficient_quota', code: 'insufficient_quota' } },
  },
  {
    provider: 'openai',
    path: '/v1/responses',
    status: 400,
    body: { model: 'gpt-5', input: said, max_output_tokens: 1_000 },
    error: { error: { type: 'insufficient_quota', code: 'insufficient_quota' } },
  },
  {
    provider: 'anthropic',
    path: '/v1/messages',
    status: 402,
    body: { model: 'claude-sonnet-4-5', messages: said, max_tokens: 1_000 },
    error: { type: 'error', error: { type: 'billing_error' } },
  },
  {
    provider: 'google',
    path: '/v1beta/models/gemini-3-pro:generateContent',
    status: 403,
    body: { contents: [], generationConfig: { maxOutputTokens: 1_000 } },
    error: { error: { code: 403, status: 'PERMISSION_DENIED' } },
  },
])('$path that the budget does not have gets an error of $provider after which no agent tries again', async (each) => {
  const { provider, status, error, ...asked } = each
  const { wire, ask, rows, spent, account } = await gatewayWorld([], { provider, budget: small(0.009) })
  const answer = await ask(asked)
  expect([answer.status, answer.headers['x-should-retry'], answer.headers['retry-after']]).toEqual([
    status,
    'false',
    undefined,
  ])
  expect(answer.json).toMatchObject(error)
  expect(answer.json.error.message).toContain('The budget of this run')
  expect([wire.requests, await rows(), await spent()]).toEqual([[], [], { ...nothing, reserved: nothing, underWay: 0 }])
  expect(account.obstacle()).toMatchObject({ type: 'budget', cap: 'run_usd', wanted: { tokens: expect.any(Number) } })
})

test('if a request gives two caps, the larger one is reserved', async () => {
  const { wire, ask } = await gatewayWorld([], { provider: 'google', budget: small(0.1) })
  const body = { generationConfig: { maxOutputTokens: 1 }, generation_config: { maxOutputTokens: 60_000 } }
  const answer = await ask({ path: '/v1beta/models/gemini-3-pro:generateContent', body })
  expect([answer.status, wire.requests]).toEqual([403, []])
})

test('twenty calls at once over a budget of a few never cost more than it, and those that it has are made', async () => {
  const begun = Promise.withResolvers<void>()
  const usage = { input: 100, output: 1_000, cacheRead: 0, cacheWrite: 0 }
  const script = async (_: unknown, number: number): Promise<WireTurn> => {
    if (number === 4) begun.resolve()
    return { text: 'Yes.', usage, after: begun.promise }
  }
  // Each call costs 10,100 millionths of a dollar, and slightly more is reserved for it.
  const budget = small(0.05)
  const { ask, rows, spent, account } = await gatewayWorld(script, { provider: 'wire', budget })
  const answers = await Promise.all(Array.from({ length: 16 }, () => ask(chat({ max_tokens: 1_000 }))))
  const more = await Promise.all(Array.from({ length: 4 }, () => ask(chat({ max_tokens: 1_000 }))))
  const statuses = [...answers, ...more].map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(4)
  expect(statuses.filter((status) => status === 400)).toHaveLength(16)
  expect((await rows()).map(({ turn }) => turn)).toEqual([0, 1, 2, 3])
  expect(await spent()).toEqual({ microUsd: 40_400, tokens: 4_400, reserved: nothing, underWay: 0 })
  expect(account.obstacle()).toMatchObject({ type: 'budget' })
})

test('an answer without a cap is cut when it outgrows what the budget has, and keeps to it', async () => {
  // At first 16,384 tokens are reserved, at 10 dollars for a million.
  const turn: WireTurn = { text: 'word '.repeat(60_000) }
  const { ask, rows, spent, account } = await gatewayWorld([turn], { provider: 'wire', budget: small(0.2) })
  await expect(ask(chat())).rejects.toThrow('aborted')
  expect(await rows()).toMatchObject([
    { stop: 'error', error: 'interrupted: the budget does not have the rest of the answer', usage: null },
  ])
  const { microUsd, underWay } = await spent()
  expect([microUsd > 163_840 && microUsd <= 200_000, underWay]).toEqual([true, 0])
  expect(account.obstacle()).toMatchObject({ type: 'budget' })
})

test('the first request of an agent that allows more than the whole budget is made, and reserves no more than it', async () => {
  const usage = { input: 100, output: 1_000, cacheRead: 0, cacheWrite: 0 }
  const over = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const script = async (): Promise<WireTurn> => {
    begun.resolve()
    return { text: 'Yes.', usage, after: over.promise }
  }
  const budget = { runUsd: 100, storyUsd: 100, runTokens: 60_000 }
  const { ask, spent, account } = await gatewayWorld(script, { provider: 'wire', budget })
  const answer = ask(chat({ max_tokens: 64_000, messages: [{ role: 'user', content: 'word '.repeat(1_700) }] }))
  await Promise.race([begun.promise, answer.then(({ status }) => expect(status).toBe(200))])
  const { reserved, underWay } = await spent()
  expect([underWay, reserved?.tokens !== undefined && reserved.tokens < 60_000]).toEqual([1, true])
  over.resolve()
  expect((await answer).status).toBe(200)
  expect(await spent()).toEqual({ microUsd: 10_100, tokens: 1_100, reserved: nothing, underWay: 0 })
  expect(account.obstacle()).toBe(null)
})

test('an answer that may be larger than the budget is cut when it is, and costs no more', async () => {
  const turn: WireTurn = { text: 'word '.repeat(60_000) }
  const { ask, rows, spent, account } = await gatewayWorld([turn], { provider: 'wire', budget: small(0.3) })
  await expect(ask(chat({ max_tokens: 64_000 }))).rejects.toThrow('aborted')
  expect(await rows()).toMatchObject([{ error: 'interrupted: the budget does not have the rest of the answer' }])
  const { microUsd, underWay } = await spent()
  expect([microUsd > 163_840 && microUsd <= 300_000, underWay]).toEqual([true, 0])
  expect(account.obstacle()).toMatchObject({ type: 'budget' })
})

test('an answer as long as its cap is paid whole, however its bytes count', async () => {
  // 80,000 bytes count as 26,667 tokens, but the provider reports 20,000.
  const usage = { input: 100, output: 20_000, cacheRead: 0, cacheWrite: 0 }
  const turn: WireTurn = { text: 'word '.repeat(16_000), usage }
  const { ask, spent } = await gatewayWorld([turn], { provider: 'wire', budget: small(0.21) })
  expect((await ask(chat({ max_tokens: 20_000 }))).status).toBe(200)
  expect(await spent()).toEqual({ microUsd: 200_100, tokens: 20_100, reserved: nothing, underWay: 0 })
})

test('if several requests may exceed the budget, only one runs at a time', async () => {
  const usage = { input: 10, output: 64_000, cacheRead: 0, cacheWrite: 0 }
  const { ask, spent, wire } = await gatewayWorld(() => ({ text: 'Yes.', usage }), {
    provider: 'wire',
    budget: small(0.5),
  })
  const answers = await Promise.all(Array.from({ length: 4 }, () => ask(chat({ max_tokens: 64_000 }))))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400])
  expect([wire.requests.length, (await spent()).microUsd]).toEqual([1, 640_010])
})

test('an answer without a cap continues while the budget has more, and costs its actual usage', async () => {
  const usage = { input: 10, output: 60_000, cacheRead: 0, cacheWrite: 0 }
  const turn: WireTurn = { text: 'word '.repeat(60_000), usage }
  const { ask, spent } = await gatewayWorld([turn], { provider: 'wire' })
  expect((await ask(chat())).bytes.toString()).toMatch(/\[DONE\]\n\n$/)
  expect(await spent()).toEqual({ microUsd: 600_010, tokens: 60_010, reserved: nothing, underWay: 0 })
})

test('answers without a cap that grow unseen cost no more than one answer over what there is', async () => {
  const usage = { input: 10, output: 100_000, cacheRead: 0, cacheWrite: 0 }
  const { ask, spent } = await gatewayWorld(() => ({ text: 'Yes.', usage }), { provider: 'openai', budget: small(0.4) })
  const body = { model: 'gpt-5', input: said, stream: true }
  const answers = await Promise.all(Array.from({ length: 4 }, () => ask({ path: '/v1/responses', body })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400])
  expect(await spent()).toEqual({ microUsd: 1_000_010, tokens: 100_010, reserved: nothing, underWay: 0 })
})

test('an answer without a cap that nobody counted is spent as far as it was seen to go', async () => {
  const { ask, spent } = await gatewayWorld([{ text: 'word '.repeat(20_000) }], { provider: 'wire' })
  expect((await ask(chat({ stream_options: undefined }))).status).toBe(200)
  // 100,000 bytes count as 33,334 tokens, and slightly more is reserved as the answer grows.
  const { tokens } = await spent()
  expect([tokens > 33_334, tokens < 40_000]).toEqual([true, true])
})

test('a model without a known price is refused where dollars were named, and bounded by tokens elsewhere', async () => {
  const turn: WireTurn = { text: 'Yes.', usage: { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 } }
  const named = await gatewayWorld([turn], { provider: 'wire', prices: {}, budgetUsd: 5 })
  const refused = await named.ask(chat({ max_tokens: 10 }))
  expect([refused.status, refused.json.error.message]).toEqual([400, expect.stringContaining('wire:local')])
  expect(named.account.obstacle()).toMatchObject({ type: 'no_price', error: { code: 'no_price' } })
  const free = await gatewayWorld([turn], { provider: 'wire', prices: {} })
  expect((await free.ask(chat({ max_tokens: 10 }))).status).toBe(200)
  expect(await free.rows()).toMatchObject([{ usage: turn.usage, costMicroUsd: null }])
})

test('a request that continues an earlier answer is estimated at its size', async () => {
  const usage = { input: 40_000, output: 1_000, cacheRead: 0, cacheWrite: 0 }
  const { wire, ask } = await gatewayWorld(() => ({ text: 'Yes.', usage }), { provider: 'openai', budget: small(0.09) })
  const body = { model: 'gpt-5', input: said, stream: true, max_output_tokens: 1_000 }
  expect((await ask({ path: '/v1/responses', body })).status).toBe(200)
  // Only its size blocks the second call: 50,000 of 90,000 are spent.
  const refused = await ask({ path: '/v1/responses', body: { ...body, previous_response_id: 'resp_1' } })
  expect([refused.status, wire.requests.length]).toEqual([400, 1])
  expect((await ask({ path: '/v1/responses', body })).status).toBe(200)
})

test('usage that cannot be true is not believed: the reservation stays spent', async () => {
  const turn: WireTurn = { text: 'Yes.', usage: { input: 0, output: 1, cacheRead: 0, cacheWrite: 0 } }
  const { ask, rows, spent } = await gatewayWorld([turn], { provider: 'wire' })
  await ask(chat({ max_tokens: 1_000 }))
  expect(await rows()).toMatchObject([{ stop: 'end', usage: null, costMicroUsd: null }])
  expect((await spent()).microUsd).toBeGreaterThan(10_000)
})

test('an open call of a dead process counts as spent once, and a call of an ended lane is refused', async () => {
  const { deps, lane, ask, spent } = await gatewayWorld([], { provider: 'wire' })
  const { engine } = deps
  // Two calls of the agent were running.
  for (const tokens of [300, 200])
    await engine.transact((tx) => tx.reserveBeside(lane, { microUsd: tokens * 10, tokens }))
  expect(await spent()).toMatchObject({ microUsd: 5_000, underWay: 2 })
  for (let opened = 0; opened < 2; opened += 1) await openCallAccount(deps, { lane, provider: 'wire' })
  expect(await spent()).toEqual({ microUsd: 5_000, tokens: 500, reserved: nothing, underWay: 0 })
  await engine.transact((tx) => tx.move(lane, 'ended', { next: 'rest' }))
  const refused = await ask(chat({ max_tokens: 10 }))
  expect([refused.status, refused.json.error.message]).toEqual([400, 'Drydock: The turn of this agent is over.'])
})

test('a call whose lane ended meanwhile is counted once, by what it cost', async () => {
  const ended = Promise.withResolvers<void>()
  const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0 }
  const { deps, lane, ask, wire, spent } = await gatewayWorld(() => ({ text: 'Yes.', usage, after: ended.promise }), {
    provider: 'wire',
  })
  const answer = ask(chat({ max_tokens: 10 }))
  await expect.poll(() => wire.requests.length).toBe(1)
  await deps.engine.transact((tx) => tx.settle(lane.id, 'lost'))
  ended.resolve()
  expect((await answer).status).toBe(200)
  expect(await spent()).toEqual({ microUsd: 200, tokens: 110, reserved: nothing, underWay: 0 })
})
