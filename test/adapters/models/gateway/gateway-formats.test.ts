import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import type { WireTurn } from '../../../wire/turn.ts'
import { wireIds, wireKey } from '../../../wire/wire-models.ts'
import { startWireServer } from '../../../wire/wire-server.ts'
import { gatewayWorld, secret } from './gateway-world.ts'

const usage = { input: 1_000, output: 50, cacheRead: 200, cacheWrite: 0 }
const said = [{ role: 'user', content: 'Go on. Überall “so”.' }]
const turn: WireTurn = { text: 'I look.', calls: [{ tool: 'read_file', input: { path: 'ä.ts' } }], usage }

/**
 * The requests of each format's agents, and the usage that the format reports for `turn` without
 * streaming.
 */
const formats = [
  {
    provider: 'wire',
    id: wireIds['openai-compatible'],
    path: '/v1/chat/completions',
    body: { model: 'local', messages: said, max_tokens: 500 },
    streamed: { stream: true, stream_options: { include_usage: true } },
    whole: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', content: 'I look.' } }],
      usage: { prompt_tokens: 1_000, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 200 } },
    },
  },
  {
    provider: 'openai',
    id: wireIds.openai,
    path: '/v1/responses',
    body: { model: 'gpt-5', input: said, max_output_tokens: 500, store: false },
    streamed: { stream: true },
    whole: {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      error: null,
      output: [{ type: 'function_call', name: 'read_file', arguments: '{}', call_id: 'call_1' }],
      usage: { input_tokens: 1_000, input_tokens_details: { cached_tokens: 200 }, output_tokens: 50 },
    },
  },
  {
    provider: 'anthropic',
    id: wireIds.anthropic,
    path: '/v1/messages?beta=true',
    body: { model: 'claude-sonnet-4-5', messages: said, max_tokens: 500 },
    streamed: { stream: true },
    whole: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [],
      usage: { input_tokens: 800, cache_read_input_tokens: 200, cache_creation_input_tokens: 0, output_tokens: 50 },
    },
  },
  {
    provider: 'google',
    id: wireIds.google,
    path: '/v1beta/models/gemini-3-pro:generateContent',
    streamedPath: '/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse',
    body: { contents: [{ role: 'user', parts: [{ text: 'Go on.' }] }], generationConfig: { maxOutputTokens: 500 } },
    streamed: {},
    whole: {
      candidates: [
        {
          content: { parts: [{ functionCall: { name: 'read_file', args: {} } }], role: 'model' },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 1_000, cachedContentTokenCount: 200, candidatesTokenCount: 50 },
    },
  },
]

/** 800 tokens at 1, 200 from the cache at 0.1 and 50 at 10 dollars for a million. */
const row = { lane: 'run/editor/task/CODING', turn: 0, story: 'task', agent: 'editor_coding', error: null }
const paid = { ...row, stop: 'calls', usage, costMicroUsd: 1_320 }

test.each(formats)('$path passes a stream byte for byte, counts it and pays it', async (format) => {
  const { provider, id, body, streamed, path } = format
  const streamedPath = 'streamedPath' in format ? format.streamedPath : path
  const { wire, ask, rows, spent } = await gatewayWorld([turn], { provider })
  const asked = JSON.stringify({ ...body, ...streamed }, null, 1)
  const answer = await ask({ path: streamedPath, body: asked, headers: { 'x-api-key': 'of-the-agent' } })
  const direct = await answeredDirectly(streamedPath, asked)
  expect([answer.status, answer.bytes.toString()]).toEqual([200, direct])
  const [request] = wire.requests
  expect(request?.raw).toBe(asked)
  expect(JSON.stringify(request?.headers)).not.toContain('of-the-agent')
  expect(JSON.stringify(request?.headers)).toContain(wireKey)
  expect(request?.headers['accept-encoding']).toBe('identity')
  expect(`${JSON.stringify(answer.headers)}${answer.bytes}`).not.toContain(wireKey)
  expect(await rows()).toMatchObject([{ ...paid, model: id }])
  expect(await spent()).toEqual({ microUsd: 1_320, tokens: 1_050, reserved: { microUsd: 0, tokens: 0 }, underWay: 0 })
})

test.each(formats)('$path passes a whole answer byte for byte, counts it and pays it', async (format) => {
  const { provider, id, body, path, whole } = format
  const bytes = JSON.stringify(whole, null, 2)
  const headers = { 'content-type': 'application/json', 'x-request-id': 'req-7', 'set-cookie': 'a=b' }
  const { ask, rows } = await gatewayWorld([{ refusal: { status: 200, headers, body: bytes } }], { provider })
  const answer = await ask({ path, body })
  expect([answer.status, answer.bytes.toString(), answer.headers['x-request-id']]).toEqual([200, bytes, 'req-7'])
  expect(answer.headers).not.toHaveProperty('set-cookie')
  expect(await rows()).toMatchObject([{ ...paid, model: id }])
})

test.each(formats)('$path hides a known secret in a request, which stays JSON', async ({ provider, body, path }) => {
  const { wire, ask } = await gatewayWorld([{ refusal: { status: 200, body: '{}' } }], { provider })
  const name = provider === 'google' ? 'labels' : 'metadata'
  await ask({ path, body: { ...body, [name]: { note: `it is ${secret}\n`, other: 'as it was' } } })
  const [request] = wire.requests
  expect(request?.raw).not.toContain(secret)
  expect(request?.body).toEqual({ ...body, [name]: { note: 'it is [redacted by drydock]\n', other: 'as it was' } })
})

test('the key does not reach the agent in an answer that repeats it, in whatever pieces it comes', async () => {
  const body = `${'x'.repeat(30)}${wireKey}${wireKey.slice(0, 9)}`
  const refusal = { status: 401, headers: { 'content-type': 'text/plain', 'x-sent': `Bearer ${wireKey}` }, body }
  const { ask, rows } = await gatewayWorld([{ refusal }], { provider: 'openai' })
  const answer = await ask({ path: '/v1/responses', body: { model: 'gpt-5', input: 'Go.' } })
  const hidden = '[redacted by drydock]'
  expect(answer.bytes.toString()).toBe(`${'x'.repeat(30)}${hidden}${wireKey.slice(0, 9)}`)
  expect(answer.headers['x-sent']).toBe(`Bearer ${hidden}`)
  expect(JSON.stringify(await rows())).not.toContain(wireKey)
})

test('a chat stream whose request asks for no usage tells none: its reservation stays spent', async () => {
  const { ask, rows, spent } = await gatewayWorld([turn], { provider: 'wire' })
  const answer = await ask({
    path: '/v1/chat/completions',
    body: { model: 'local', messages: said, stream: true, max_tokens: 500 },
  })
  expect(answer.status).toBe(200)
  expect(await rows()).toMatchObject([{ stop: 'calls', usage: null, costMicroUsd: null }])
  expect((await spent()).microUsd).toBeGreaterThanOrEqual(5_000)
})

test.each([
  {
    what: 'a prompt that Google blocked',
    provider: 'google',
    path: '/v1beta/models/gemini-3-pro:generateContent',
    stop: 'refused',
    answer: { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 } },
  },
  {
    what: 'a list that Google streams where no events are asked for',
    provider: 'google',
    path: '/v1beta/models/gemini-3-pro:streamGenerateContent',
    stop: 'end',
    answer: [
      { candidates: [{ content: { parts: [{ text: 'Yes.' }] } }], usageMetadata: { promptTokenCount: 9 } },
      { candidates: [{ finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 9, thoughtsTokenCount: 0 } },
    ],
  },
  {
    what: 'an incomplete response',
    provider: 'openai',
    path: '/v1/responses',
    stop: 'length',
    answer: { object: 'response', status: 'incomplete', usage: { input_tokens: 9, output_tokens: 0 } },
  },
])('$what is counted correctly', async ({ provider, path, stop, answer }) => {
  const body = JSON.stringify(answer)
  const headers = { 'content-type': 'application/json' }
  const { ask, rows } = await gatewayWorld([{ refusal: { status: 200, headers, body } }], { provider })
  expect((await ask({ path, body: { model: 'gpt-5' } })).bytes.toString()).toBe(body)
  const counted = { input: 9, output: 0, cacheRead: 0, cacheWrite: 0 }
  expect(await rows()).toMatchObject([{ stop, error: null, usage: counted, costMicroUsd: 9 }])
})

test('counting tokens and listing models pass without a row, and cost nothing', async () => {
  const { wire, ask, rows } = await gatewayWorld(() => ({ refusal: { status: 200, body: '{"input_tokens":7}' } }), {
    provider: 'anthropic',
    budget: { runUsd: 0, storyUsd: 0, runTokens: 0 },
  })
  const counted = await ask({ path: '/v1/messages/count_tokens', body: { model: 'claude-sonnet-4-5', messages: said } })
  const listed = await ask({ method: 'GET', path: '/v1/models?limit=5&key=mine' })
  expect([counted.json, listed.status, wire.requests.map(({ path }) => path)]).toEqual([
    { input_tokens: 7 },
    200,
    ['/v1/messages/count_tokens', '/v1/models'],
  ])
  expect(await rows()).toEqual([])
})

async function answeredDirectly(path: string, body: string): Promise<string> {
  const wire = await startWireServer([turn])
  onTestFinished(() => wire.close())
  const answer = await fetch(`${wire.origin}${path}`, { method: 'POST', body })
  return answer.body === null ? '' : text(answer.body)
}
