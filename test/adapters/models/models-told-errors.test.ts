import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { textError } from '../../../src/adapters/models/answers/told-error.ts'
import { ask, dialectNames, wireModel } from '../../wire/wire-models.ts'
import { startWireServer } from '../../wire/wire-server.ts'

const json = { 'content-type': 'application/json' }
const events = { 'content-type': 'text/event-stream' }

describe.each(dialectNames)('%s', (name) => {
  async function errorOf(refusal: { status?: number; headers?: Record<string, string>; body?: string | Buffer }) {
    const wire = await startWireServer([{ refusal: { status: 200, headers: json, ...refusal } }])
    onTestFinished(() => wire.close())
    const reply = await ask(wireModel(name, wire.origin))
    if (reply.stop !== 'error') throw new Error(`a reply instead of an error: ${reply.stop}`)
    return reply.error
  }

  test.each([
    ['auth', { error: { message: 'Invalid API key', code: 401 } }, 'Invalid API key'],
    ['auth', { error: { message: 'Wrong one', type: 'authentication_error' } }, 'Wrong one'],
    ['auth', { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } }, 'x-api-key'],
    ['auth', [{ error: { code: 401, status: 'UNAUTHENTICATED', message: 'No key' } }], 'No key'],
    ['auth', { error: 'Unauthorized' }, 'Unauthorized'],
    ['auth', { base_resp: { status_code: 2049, status_msg: 'invalid api key' } }, 'invalid api key'],
    ['auth', { detail: 'Not authenticated' }, 'Not authenticated'],
    ['no_access', { error: { message: 'This needs more credits', code: 402 } }, 'more credits'],
    ['no_access', { success: false, errors: [{ code: 403, message: 'Not for you' }] }, 'Not for you'],
    [
      'unknown_model',
      { error: { message: 'The model `x` does not exist', code: 'model_not_found' } },
      'does not exist',
    ],
    [
      'unknown_model',
      { object: 'error', message: 'The model x does not exist.', type: 'NotFoundError', code: 404 },
      'x',
    ],
    ['unknown_model', { message: 'No such model', error_code: 404 }, 'No such model'],
    ['context_overflow', { error: { message: 'maximum context length is 8192', code: 400 } }, '8192'],
    ['bad_request', { error: { message: 'Unsupported parameter: top_k', code: 'unsupported_parameter' } }, 'top_k'],
    [
      'bad_request',
      { detail: [{ loc: ['body', 'tools'], msg: 'Extra inputs', type: 'x' }], code: 422 },
      'Extra inputs',
    ],
  ])('inside a good status, %s is told in the provider’s words and not tried again: %j', async (kind, body, words) => {
    const error = await errorOf({ body: JSON.stringify(body) })
    expect(error).toMatchObject({ kind, retryable: false, free: true, message: expect.stringContaining(words) })
  })

  test.each([
    ['rate_limited', { error: { message: 'Slow down', code: 429 } }],
    ['overloaded', { error: { message: 'Try later', code: 503 } }],
    ['overloaded', { error: { message: 'Upstream failed', type: 'overloaded_error' } }],
    ['overloaded', { error: 'The server is busy' }],
  ])('inside a good status, %s passes with time: %j', async (kind, body) => {
    const error = await errorOf({ body: JSON.stringify(body) })
    expect(error).toMatchObject({ kind, retryable: true, free: true })
    expect(error).not.toHaveProperty('came')
  })

  test.each([
    ['', events],
    ['', json],
    ['hello', { 'content-type': 'text/plain' }],
    ['{"error": {"message": "Odd"}}', json],
    ['{"id": "x', json],
  ])('an invalid answer without a known error is unusable: %j', async (body, headers) => {
    const error = await errorOf({ headers, body })
    expect(error).toMatchObject({ kind: 'interrupted', retryable: true, came: 'unusable' })
  })

  test.each([
    [200, json],
    [200, { 'content-type': 'text/html' }],
    [200, {}],
    [404, { 'content-type': 'text/html' }],
    [403, json],
  ] as const)('a page with status %d is none of an API, whatever its type says', async (status, headers) => {
    const body = '<!DOCTYPE html>\n<html><head>\n<title>Sign in &mdash; Acme</title></head><body>Go on</body></html>'
    const error = await errorOf({ status, headers, body })
    expect(error).toMatchObject({ retryable: false, unreachable: true, message: expect.stringContaining('Sign in') })
    expect(error.todo).toContain('base URL')
  })

  test('a page of a proxy with an error of the server passes, and its title is shown', async () => {
    const body = '<html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>'
    const error = await errorOf({ status: 502, body })
    expect(error).toMatchObject({ kind: 'overloaded', retryable: true })
    expect(error.message).toMatch(/answered 502 with a web page: 502 Bad Gateway$/)
  })

  test.each([
    [500, { error: { message: 'AuthenticationError: wrong key', type: 'authentication_error' } }, 'auth'],
    [500, { error: { message: 'It broke', type: 'server_error' } }, 'overloaded'],
    [400, { error: { message: 'Too many', code: 429 } }, 'rate_limited'],
    [422, { detail: [{ msg: 'Input should be a list' }] }, 'bad_request'],
    [405, { detail: 'Method Not Allowed' }, 'bad_request'],
  ])('with status %d, %j is told apart as %s', async (status, body, kind) => {
    expect(await errorOf({ status, body: JSON.stringify(body) })).toMatchObject({ kind })
  })

  test.each([
    [400, { error: { message: 'It was flagged. Please try again with a different prompt.', code: 'invalid_prompt' } }],
    [200, { error: { message: 'It was flagged. Please try again with a different prompt.', code: 'invalid_prompt' } }],
    [400, { error: { message: "tool 'set_rate_limit' has a bad input_schema", type: 'invalid_request_error' } }],
    [400, { error: { message: 'Invalid schema: unauthorized keyword', type: 'invalid_request_error' } }],
    [400, { error: { message: 'Invalid schema: property access_token is required' } }],
    [400, { error: { message: 'invalid token } in the arguments' } }],
    [422, { detail: [{ msg: 'temporarily is no field', loc: ['body', 'throttle'] }] }],
  ])('with status %d, words about the request itself do not make it pass: %j', async (status, body) => {
    const error = await errorOf({ status, body: JSON.stringify(body) })
    expect(error).toMatchObject({ kind: 'bad_request', retryable: false })
  })

  test.each([
    'Incorrect API key provided',
    'API key not valid. Please pass a valid API key.',
    'Method is called by unregistered callers',
  ])('a status 400 that is about the key is told as such: %s', async (message) => {
    expect(await errorOf({ status: 400, body: JSON.stringify({ error: { message } }) })).toMatchObject({ kind: 'auth' })
  })

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('a refusal that is packed as %s is read', async (encoding, pack) => {
    const body = pack(Buffer.from('{"error": {"message": "Packed words", "code": 401}}'))
    const error = await errorOf({ status: 401, headers: { ...json, 'content-encoding': encoding }, body })
    expect(error).toMatchObject({ kind: 'auth', message: expect.stringContaining('Packed words') })
  })

  test.each([
    ['compress', 'is packed with compress, which Drydock does not know. Let the server, or the proxy before it, send'],
    ['gzip', 'is marked as packed with gzip, and cannot be unpacked as that. Check the server and any proxy'],
    ['br', 'is marked as packed with br, and cannot be unpacked as that. Check the server and any proxy'],
    ['zstd', 'is marked as packed with zstd, and cannot be unpacked as that. Check the server and any proxy'],
  ])('an answer that cannot be unpacked as %s is unusable, and the error says what to do', async (encoding, said) => {
    const error = await errorOf({ headers: { ...json, 'content-encoding': encoding }, body: 'not packed' })
    expect(error).toMatchObject({ kind: 'interrupted', came: 'unusable', message: expect.stringContaining(said) })
    // The message must not come from the unpacking library, which names its own formats.
    expect(error.message).toMatch(/(unpacked|proxy before it)\.$/)
  })

  test('an answer without content is an error that says so, and what to do', async () => {
    const { message, ...error } = await errorOf({ headers: events, body: '' })
    expect(error).toMatchObject({ kind: 'interrupted', retryable: true, free: true })
    expect(message).toMatch(
      /^\S+ sent an empty answer\. If it does so again, check the server and any proxy before it\.$/,
    )
  })

  test.each([
    ['2.5', 2_500],
    ['0', 0],
    ['-5', null],
    ['soon', null],
    ['', null],
    ['1m30s', 90_000],
    ['30, 40', null],
    ['9999999999', 86_400_000],
    ['1e400', null],
  ])('a Retry-After of %j is a wait of %j ms', async (value, ms) => {
    const error = await errorOf({ status: 429, headers: { ...json, 'retry-after': value }, body: '{"error": "busy"}' })
    expect(error).toMatchObject({ kind: 'rate_limited', retryable: true, retryAfterMs: ms })
  })

  test('a wait of centuries is told', async () => {
    const error = await errorOf({
      status: 429,
      headers: { ...json, 'retry-after': '9999999999' },
      body: '{"error": "no"}',
    })
    expect(error.message).toContain('it asks to wait for 115,741 days')
  })

  test.each([
    ['try again in 3 days', 'wait for 3 days'],
    ['try again in 1 day 2 hours', 'wait for 1 day)'],
  ])('a wait of days is read and told: %s', async (message, told) => {
    const error = await errorOf({ status: 429, body: JSON.stringify({ error: { message: `Too many: ${message}.` } }) })
    expect(error.message).toContain(told)
  })

  test('a wait in the words of the provider counts', async () => {
    const body = JSON.stringify({ error: { message: 'Rate limit reached. Please try again in 1m3.5s.', code: 429 } })
    expect(await errorOf({ status: 429, body })).toMatchObject({ retryAfterMs: 63_500 })
  })
})

test.each(['<', '<script', '<title>', '<title', '<script><'])('a page of nothing but %s is read at once', (piece) => {
  const before = process.cpuUsage()
  expect(textError(`<!doctype html>${piece.repeat(65_000 / piece.length)}`).isPage).toBe(true)
  expect(process.cpuUsage(before).user).toBeLessThan(120_000)
})

describe('a reply in which there is no error', () => {
  const chunk = (more: object) =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }], ...more })}\n\n`
  const end = `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`

  async function answered(body: string) {
    const wire = await startWireServer([{ refusal: { status: 200, headers: events, body } }])
    onTestFinished(() => wire.close())
    return ask(wireModel('openai-compatible', wire.origin))
  }

  test.each([
    chunk({ error: { code: 0, message: 'ok' } }),
    chunk({ error: { code: '0', message: 'success' } }),
    chunk({ error: 'null' }),
    chunk({ base_resp: { status_code: 0, status_msg: 'success' } }),
    `${chunk({})}data: {"type":"keepalive","message":"processing"}\n\n`,
    `${chunk({})}data: keepalive\n\n`,
    `data: keepalive\n\n${chunk({})}`,
    `${chunk({})}event: ping\ndata: "still here"\n\n`,
  ])('it is read to its end: %s', async (body) => {
    expect(await answered(body + end)).toMatchObject({ stop: 'end', text: 'Hi' })
  })

  test.each([
    ['data: upstream is busy\n\n', 'upstream is busy'],
    ['data: {"error":{"code":0,"message":"It broke"}}\n\n', 'It broke'],
    ['data: {"type":"keepalive","message":"processing"}\n\n', 'processing'],
    [`${chunk({})}data: {"error":{"message":"It broke"}}\n\n`, 'It broke'],
    [`${chunk({})}data: {"type":"error","message":"It broke"}\n\n`, 'It broke'],
    [`${chunk({})}event: error\ndata: It broke\n\n`, 'It broke'],
    [`${chunk({})}data: <html><title>Bad Gateway</title></html>\n\n`, 'Bad Gateway'],
    [`${chunk({})}data: {"choices":[{"delta"\n\n`, 'choices'],
  ])('words in the place of a reply, or an error in it, are told: %s', async (body, words) => {
    expect(await answered(body)).toMatchObject({ stop: 'error', error: { message: expect.stringContaining(words) } })
  })
})
