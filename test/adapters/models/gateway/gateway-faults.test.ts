import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createModel } from '../../../../src/adapters/models/create-model.ts'
import type { WireTurn } from '../../../wire/turn.ts'
import { ask as askModel, wireSettings } from '../../../wire/wire-models.ts'
import { type GatewayRequest, gatewayWorld } from './gateway-world.ts'

const said = [{ role: 'user', content: 'Go on.' }]
const nothing = { microUsd: 0, tokens: 0 }
const chat = (more: object = {}): GatewayRequest => ({
  path: '/v1/chat/completions',
  body: { model: 'local', messages: said, stream: true, max_tokens: 1_000, ...more },
})
const messages: GatewayRequest = {
  path: '/v1/messages',
  body: { model: 'claude-sonnet-4-5', messages: said, stream: true, max_tokens: 1_000 },
}

test.each([
  ['wire', '/v1/messages', { code: 'unknown_url' }, 'POST /v1/chat/completions, POST /v1/responses, GET /v1/models'],
  ['anthropic', '/v1/chat/completions', { type: 'not_found_error' }, 'POST /v1/messages'],
  ['google', '/v1beta/models/a:predict', { status: 'NOT_FOUND' }, 'POST /v1beta/models/<model>:generateContent'],
  ['openai', '/v1/../v1/files', { type: 'invalid_request_error' }, 'POST /v1/responses'],
  ['ollama', '/api/chat', { type: 'invalid_request_error' }, 'POST /v1/chat/completions'],
])('of %s, %s is not served, which its own form of an error says', async (provider, path, error, paths) => {
  const { wire, ask } = await gatewayWorld([], { provider })
  const answer = await ask({ path, body: { model: 'a' } })
  expect([answer.status, answer.json.error]).toEqual([404, expect.objectContaining(error)])
  expect(answer.json.error.message).toContain(paths)
  expect(wire.requests).toEqual([])
})

test.each([
  ['no JSON', '{"model": "local"'],
  ['no object', '["local"]'],
  ['a key twice, of which a reader may take either', '{"max_tokens": 1, "model": "local", "max\\u005ftokens": 9}'],
  [
    'more depth than a reader may have stack',
    `{"model": "local", "messages": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
  ],
  ['no model', '{"messages": []}'],
  ['a model with a line in its name', '{"model": "a\\nb"}'],
])('a body with %s is refused and not sent', async (_, body) => {
  const { wire, ask, rows } = await gatewayWorld([], { provider: 'wire' })
  const answer = await ask({ path: '/v1/chat/completions', body })
  expect([answer.status, answer.json.error.type, wire.requests, await rows()]).toEqual([
    400,
    'invalid_request_error',
    [],
    [],
  ])
})

test('a body, a header and a number of calls over their bounds are refused', async () => {
  const hang = Promise.withResolvers<void>()
  const bounds = { requestBytes: 1_000_000, calls: 2 }
  const { wire, ask } = await gatewayWorld(() => ({ text: 'Yes.', after: hang.promise }), { provider: 'wire', bounds })
  const large = await ask(chat({ more: 'x'.repeat(1_000_000) }))
  expect([large.status, large.json.error.code]).toEqual([413, 'request_too_large'])
  expect((await ask({ ...chat(), headers: { 'x-large': 'x'.repeat(40_000) } })).status).toBe(431)
  const calls = [ask(chat()), ask(chat())]
  await expect.poll(() => wire.requests.length).toBe(2)
  const third = await ask(chat())
  expect([third.status, third.json.error.code, third.headers['retry-after']]).toEqual([429, 'rate_limit_exceeded', '1'])
  hang.resolve()
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200])
})

test('a client that takes its time over its headers is cut off', async () => {
  const { gateway } = await gatewayWorld([], { provider: 'wire', bounds: { headersMs: 100 } })
  const socket = connect(gateway.socket)
  socket.write('POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\n')
  expect(await text(socket)).toContain('408 Request Timeout')
})

test('the socket is for its owner alone, and is gone with the gateway', async () => {
  const { gateway } = await gatewayWorld([], { provider: 'wire' })
  const modes = [await stat(gateway.socket), await stat(dirname(gateway.socket))].map(({ mode }) => mode & 0o777)
  expect(modes).toEqual([0o600, 0o700])
  await gateway.close()
  await expect(stat(gateway.socket)).rejects.toThrow('ENOENT')
})

test('a client that goes away ends the call of its provider, and the call is settled', async () => {
  const leaving = new AbortController()
  const { wire, ask, gateway, rows, spent, account } = await gatewayWorld([{ fault: 'hang' }], { provider: 'wire' })
  const answer = ask({ ...chat(), signal: leaving.signal }).catch((error: Error) => error.name)
  await expect.poll(() => wire.requests.length).toBe(1)
  leaving.abort()
  expect(await answer).toBe('AbortError')
  await wire.requests[0]?.closed
  await gateway.close()
  expect(await rows()).toMatchObject([{ stop: 'error', error: 'interrupted: The call was aborted.', usage: null }])
  expect(await spent()).toMatchObject({ reserved: nothing, underWay: 0 })
  expect((await spent()).microUsd).toBeGreaterThan(10_000)
  expect(account.obstacle()).toBe(null)
})

test('closing the gateway does not wait for the rest of a request', async () => {
  const { gateway, rows } = await gatewayWorld([], { provider: 'wire' })
  const socket = connect(gateway.socket)
  socket.on('error', () => {})
  const continued = once(socket, 'data')
  socket.write('POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 100\r\n\r\n')
  expect(String(await continued)).toContain('100 Continue')
  const closed = once(socket, 'close')
  await gateway.close()
  await closed
  expect(await rows()).toEqual([])
})

test('closing the gateway ends running calls and settles them', async () => {
  const { wire, ask, gateway, rows, spent } = await gatewayWorld([{ text: 'Yes.', fault: 'idle' }], {
    provider: 'wire',
  })
  const answer = ask(chat()).catch(() => 'cut')
  await expect.poll(() => wire.requests.length).toBe(1)
  await gateway.close()
  expect([await answer, await rows(), (await spent()).underWay]).toEqual(['cut', [expect.anything()], 0])
})

test.each([
  ['breaks off', { text: 'Yes.', fault: 'broken' }, 'interrupted: '],
  ['ends before its end', { text: 'Yes.', fault: 'no_end' }, 'interrupted: '],
  ['has an error in it', { text: 'Yes.', fault: 'error_event' }, 'overloaded: '],
] satisfies [string, WireTurn, string][])(
  'an answer that %s fails, and its reservation stays spent',
  async (_, turn, error) => {
    const { ask, rows, spent, account } = await gatewayWorld([turn], { provider: 'anthropic' })
    const answer = await ask(messages).catch(() => null)
    expect(answer === null).toBe(turn.fault === 'broken')
    expect(await rows()).toMatchObject([{ stop: 'error', error: expect.stringContaining(error), usage: null }])
    expect((await spent()).microUsd).toBeGreaterThan(10_000)
    expect(account.obstacle()).toMatchObject({ type: 'provider' })
  },
)

test.each([
  ['breaks the connection', { fault: 'reset' }, 502, 'network: '],
  ['redirects', { refusal: { status: 307, headers: { location: 'http://127.0.0.1:1/' } } }, 502, 'bad_request: '],
  ['answers with a page', { refusal: { status: 200, headers: { 'content-type': 'text/html' } } }, 502, 'bad_request: '],
  ['says nothing', { fault: 'hang' }, 504, 'timeout: '],
] satisfies [string, WireTurn, number, string][])(
  'a provider that %s is told in its own form',
  async (_, turn, status, error) => {
    const { ask, rows } = await gatewayWorld([turn], { provider: 'anthropic', timeouts: { firstByteMs: 1_000 } })
    const answer = await ask(messages)
    expect([answer.status, answer.json.type, answer.headers.location]).toEqual([status, 'error', undefined])
    expect(await rows()).toMatchObject([{ stop: 'error', error: expect.stringContaining(error) }])
  },
)

test('a refusal of the provider passes as it is, costs nothing, and is a row', async () => {
  const body = '{"type":"error","error":{"type":"invalid_request_error","message":"messages: wrong"}}'
  const refusal = { status: 400, headers: { 'content-type': 'application/json' }, body }
  const { ask, rows, spent } = await gatewayWorld([{ refusal }], { provider: 'anthropic' })
  const answer = await ask(messages)
  expect([answer.status, answer.bytes.toString()]).toEqual([400, body])
  expect(await rows()).toMatchObject([{ stop: 'error', error: 'bad_request: anthropic answered 400: messages: wrong' }])
  expect(await spent()).toEqual({ ...nothing, reserved: nothing, underWay: 0 })
})

test.each([
  ['anthropic', messages, 529, 'overloaded_error'],
  ['wire', chat(), 503, 'server_error'],
] as const)(
  'while the provider %s answers nobody, neither agents nor lanes ask it',
  async (provider, asked, status, type) => {
    const error = { kind: 'overloaded', message: 'busy' } as const
    const { wire, ask, rows, spent, gates, account } = await gatewayWorld(() => ({ error }), { provider })
    for (let failed = 0; failed < 3; failed += 1) expect((await ask(asked)).status).toBe(529)
    const answer = await ask(asked)
    expect([answer.status, answer.json.error.type]).toEqual([status, type])
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    const id = provider === 'wire' ? 'wire:local' : 'anthropic:claude-sonnet-4-5'
    const lane = createModel({ id, ...wireSettings(wire.origin), gates })
    expect(await askModel(lane)).toMatchObject({ error: { kind: 'suspended' } })
    expect([wire.requests.length, (await rows()).length]).toEqual([3, 3])
    expect(await spent()).toEqual({ ...nothing, reserved: nothing, underWay: 0 })
    expect(account.obstacle()).toMatchObject({ type: 'provider', failure: { kind: 'suspended' } })
  },
)

test('the retry delay of the provider applies to the next call, and its own words reach the agent', async () => {
  const refusal = {
    status: 429,
    headers: { 'retry-after': '30', 'content-type': 'application/json' },
    body: '{"error":{}}',
  }
  const { wire, ask } = await gatewayWorld(() => ({ refusal }), { provider: 'wire' })
  const answers = [await ask(chat()), await ask(chat())]
  expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
    [429, '30'],
    [503, '30'],
  ])
  expect(wire.requests).toHaveLength(1)
})

test('a client that stops reading its answer holds nothing for ever', async () => {
  const turn: WireTurn = { text: 'word '.repeat(1_000_000) }
  const { gateway, rows } = await gatewayWorld([turn], { provider: 'wire', timeouts: { idleMs: 200 } })
  const body = JSON.stringify(chat({ max_tokens: 9_000_000 }).body)
  const socket = connect(gateway.socket)
  socket.pause()
  socket.write(`POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  await once(socket, 'connect')
  await expect.poll(rows).toMatchObject([{ error: expect.stringContaining('timeout: ') }])
  socket.destroy()
})

const asked: readonly (readonly [provider: string, GatewayRequest])[] = [
  ['anthropic', messages],
  ['openai', { path: '/v1/responses', body: { model: 'gpt-5', input: 'Go on.', stream: true } }],
  ['wire', chat()],
  ['ollama', chat({ model: 'qwen3' })],
  ['google', { path: '/v1beta/models/gemini-3-pro:streamGenerateContent', body: { contents: [] } }],
]

test.each(asked)(
  'an error inside a good answer of %s is the obstacle of its agent, in its words',
  async (provider, call) => {
    const body = '{"error": {"message": "Invalid API key", "code": 401}}'
    const headers = { 'content-type': 'text/event-stream' }
    const turn = { refusal: { status: 200, headers, body } }
    const { ask, rows, account, spent } = await gatewayWorld([turn], { provider })
    expect(await ask(call)).toMatchObject({ status: 200, json: { error: { code: 401 } } })
    expect(await rows()).toMatchObject([
      { stop: 'error', error: `auth: ${provider} answered with the error 401: Invalid API key` },
    ])
    expect(account.obstacle()).toMatchObject({
      type: 'provider',
      failure: { kind: 'auth', retryable: false, free: true },
    })
    expect((await spent()).microUsd).toBe(0)
  },
)

test('an answer that is packed although nobody asked reaches the agent unpacked, and is counted', async () => {
  const usage = { input: 12, output: 3 }
  const packed = { headers: { 'content-encoding': 'gzip' }, sent: (whole: string) => [gzipSync(whole)] }
  const { wire, ask, rows } = await gatewayWorld([{ text: 'Yes.', usage, ...packed }], { provider: 'anthropic' })
  const answer = await ask(messages)
  expect(answer.headers).not.toHaveProperty('content-encoding')
  expect(String(answer.bytes)).toContain('Yes.')
  expect(wire.requests[0]?.headers['accept-encoding']).toBe('identity')
  expect(await rows()).toMatchObject([{ stop: 'end', usage }])
})
