import { describe, expect, onTestFinished, test } from 'vitest'
import type { Timeouts } from '../../../src/adapters/models/exchange.ts'
import { limits } from '../../../src/domain/limits.ts'
import type { WireTurn } from '../../wire/turn.ts'
import { ask, continued, dialectNames, hello, requestOf, wireKey, wireModel } from '../../wire/wire-models.ts'
import { startWireServer } from '../../wire/wire-server.ts'

const call = { tool: 'delete_file', input: { path: 'a.ts' } }
const said: WireTurn = { text: 'I delete it.', calls: [call], usage: { input: 10, output: 5 } }
const short: Partial<Timeouts> = { firstByteMs: 100, idleMs: 100 }

describe.each(dialectNames)('%s', (name) => {
  async function replyTo(turn: WireTurn, timeouts: Partial<Timeouts> = {}) {
    const wire = await startWireServer([turn])
    onTestFinished(() => wire.close())
    const reply = await ask(wireModel(name, wire.origin, timeouts))
    expect(wire.requests, 'nothing is retried here').toHaveLength(1)
    return reply
  }

  async function errorOf(turn: WireTurn, timeouts: Partial<Timeouts> = {}) {
    const reply = await replyTo(turn, timeouts)
    if (reply.stop !== 'error') throw new Error(`a reply instead of an error: ${reply.stop}`)
    return reply.error
  }

  test.each([
    ['auth', false, 401],
    ['unknown_model', false, 404],
    ['no_access', false, 403],
    ['bad_request', false, 400],
    ['context_overflow', false, 400],
    ['rate_limited', true, 429],
    ['overloaded', true, 529],
  ] as const)('a refusal as %s is told apart', async (kind, retryable, status) => {
    const error = await errorOf({ error: { kind } })
    expect(error).toMatchObject({ kind, retryable, retryAfterMs: null })
    expect(error.message).toContain(`answered ${status}`)
  })

  test('a server error without a readable body may pass', async () => {
    const error = await errorOf({ refusal: { status: 500, body: '<html>oops</html>' } })
    expect(error).toMatchObject({ kind: 'overloaded', retryable: true })
  })

  test('Retry-After is read as seconds', async () => {
    const error = await errorOf({ refusal: { status: 429, headers: { 'retry-after': '70' } } })
    expect(error).toMatchObject({ kind: 'rate_limited', retryAfterMs: 70_000 })
  })

  test('a Retry-After of years is no longer than a day', async () => {
    const error = await errorOf({ refusal: { status: 429, headers: { 'retry-after': '99999999999' } } })
    expect(error).toMatchObject({ kind: 'rate_limited', retryAfterMs: 86_400_000 })
  })

  test('Retry-After is read as a date', async () => {
    const date = new Date(1_700_000_000_000).toUTCString()
    const headers = { date, 'retry-after': new Date(1_700_000_030_000).toUTCString() }
    expect(await errorOf({ refusal: { status: 503, headers } })).toMatchObject({ retryAfterMs: 30_000 })
  })

  test('a redirect is not followed', async () => {
    const error = await errorOf({ refusal: { status: 307, headers: { location: 'http://127.0.0.1:1/elsewhere' } } })
    expect(error).toMatchObject({ kind: 'bad_request', retryable: false })
  })

  test('an endless refusal is read to its bound', async () => {
    const error = await errorOf({ refusal: { status: 503, body: 'x'.repeat(4 * 1_048_576) } })
    expect(error).toMatchObject({ kind: 'overloaded' })
    expect(error.message.length).toBeLessThanOrEqual(500)
  })

  test('only the start of a long refusal counts', async () => {
    const body = `{"error":{"message":"prompt is too long"}}${' '.repeat(4 * 1_048_576)}`
    expect(await errorOf({ refusal: { status: 400, body } })).toMatchObject({ kind: 'context_overflow' })
  })

  test('a message is one line without the key, even when the provider echoes it', async () => {
    const error = await errorOf({ error: { kind: 'auth', message: `wrong key\n${wireKey}\r\nsent` } })
    expect(error.message).toContain('wrong key [key] sent')
  })

  test('a connection that breaks before the answer is a network failure', async () => {
    expect(await errorOf({ fault: 'reset' })).toMatchObject({ kind: 'network', retryable: true })
  })

  test('a connection that breaks in the answer is an interruption', async () => {
    expect(await errorOf({ ...said, fault: 'broken' })).toMatchObject({ kind: 'interrupted', retryable: true })
  })

  test('silence before the first byte runs into its timeout', async () => {
    const error = await errorOf({ fault: 'hang' }, short)
    expect(error).toMatchObject({ kind: 'timeout', retryable: true, message: expect.stringContaining('first byte') })
  })

  test('silence in the middle runs into its timeout', async () => {
    const error = await errorOf({ ...said, fault: 'idle' }, { idleMs: 100 })
    expect(error).toMatchObject({ kind: 'timeout', retryable: true, message: expect.stringContaining('next byte') })
  })

  test('a call that takes too long in all runs into its timeout', async () => {
    const error = await errorOf({ ...said, fault: 'idle' }, { totalMs: 150 })
    expect(error).toMatchObject({ kind: 'timeout', retryable: true, message: expect.stringContaining('end') })
  })

  test('an error event in the middle is an error', async () => {
    const error = await errorOf({ ...said, fault: 'error_event' })
    // Ollama reports errors only in words.
    expect(error).toMatchObject({ kind: name === 'ollama' ? 'interrupted' : 'overloaded', retryable: true })
    expect(error.message).toContain('it broke in the middle')
  })

  test('a stream without its end is interrupted, however complete its calls look', async () => {
    const error = await errorOf({ ...said, fault: 'no_end' })
    expect(error).toMatchObject({ kind: 'interrupted', retryable: true })
  })

  test('a page for people instead of a stream is told as that, and not asked for again', async () => {
    const headers = { 'content-type': 'text/html' }
    const error = await errorOf({ refusal: { status: 200, headers, body: '<html>Log in</html>' } })
    expect(error).toMatchObject({ kind: 'bad_request', retryable: false })
    expect(error.todo).toContain('base URL')
  })

  test('an answer without a stream is interrupted', async () => {
    const headers = { 'content-type': 'text/plain' }
    const error = await errorOf({ refusal: { status: 200, headers, body: 'hello' } })
    expect(error).toMatchObject({ kind: 'interrupted', retryable: true })
  })

  test('a reply cut at its token limit keeps its text and loses its calls', async () => {
    expect(await replyTo({ ...said, stop: 'length' })).toMatchObject({
      stop: 'length',
      text: 'I delete it.',
      calls: [],
      raw: null,
    })
  })

  test.skipIf(name === 'ollama')('a reply stopped by the filter of the provider is refused', async () => {
    expect(await replyTo({ text: 'I ca', stop: 'refused' })).toMatchObject({ stop: 'refused', text: 'I ca', raw: null })
  })

  test('a text over its limit is cut with a note', async () => {
    const reply = await replyTo({ text: 'y'.repeat(limits.modelTextChars + 1), calls: [call] })
    if (reply.stop !== 'calls') throw new Error(`stopped with ${reply.stop}`)
    expect(reply.text).toHaveLength(limits.modelTextChars)
    expect(reply.text).toMatch(/^y{60000,}\n\[cut: [^\]]+\]$/)
    expect(JSON.stringify(reply.raw)).not.toContain('y'.repeat(limits.modelTextChars))
  })

  test('a text of exactly its limit is whole', async () => {
    const text = 'y'.repeat(limits.modelTextChars)
    expect(await replyTo({ text })).toMatchObject({ stop: 'end', text })
  })

  test('ten megabytes of text end the call with what has come', async () => {
    const reply = await replyTo({ text: 'z'.repeat(10 * 1_048_576) })
    if (reply.stop !== 'length') throw new Error(`stopped with ${reply.stop}`)
    expect(reply.text).toHaveLength(limits.modelTextChars)
  })

  test('a call that is aborted in the middle is interrupted and frees the connection', async () => {
    const abort = new AbortController()
    const wire = await startWireServer(() => {
      setImmediate(() => abort.abort())
      return { ...said, fault: 'idle' }
    })
    onTestFinished(() => wire.close())
    const reply = await wireModel(name, wire.origin).reply(requestOf(hello), abort.signal)
    expect(reply).toMatchObject({ stop: 'error', error: { kind: 'interrupted', message: 'The call was aborted.' } })
    await wire.requests[0]?.closed
  })

  test('a history with a call that nobody answered is a bad request and is not sent', async () => {
    const wire = await startWireServer([])
    onTestFinished(() => wire.close())
    const dangling = [...hello, { role: 'assistant', text: '', calls: [{ id: 'c1', ...call }] }, ...hello] as const
    expect(await ask(wireModel(name, wire.origin), dangling)).toMatchObject({
      stop: 'error',
      error: { kind: 'bad_request', retryable: false },
    })
    expect(wire.requests).toEqual([])
  })
})

describe.each(['anthropic', 'openai', 'openai-compatible'] as const)('%s, whose arguments are text', (name) => {
  async function callsOf(turn: WireTurn) {
    const wire = await startWireServer([turn])
    onTestFinished(() => wire.close())
    const reply = await ask(wireModel(name, wire.origin))
    if (reply.stop !== 'calls') throw new Error(`stopped with ${reply.stop}`)
    return reply.calls
  }

  test.each(['{"path": "a.t', '{"path": "a.ts"', 'path: "a.ts"', 'I read {"path": "a.ts"}'])(
    'the arguments %s come back as they were, marked invalid',
    async (rawInput) => {
      const calls = await callsOf({ calls: [{ ...call, rawInput }] })
      expect(calls).toEqual([
        {
          id: expect.any(String),
          tool: 'delete_file',
          input: rawInput,
          invalid: expect.stringContaining('not JSON'),
        },
      ])
    },
  )

  test('arguments over their limit are marked invalid and cut', async () => {
    const [long] = await callsOf({ calls: [{ tool: 'delete_file', input: 'w'.repeat(limits.modelInputChars) }] })
    expect(long).toMatchObject({ invalid: expect.stringContaining(String(limits.modelInputChars)) })
    expect(String(long?.input).length).toBeLessThanOrEqual(limits.modelTextChars)
  })

  test('a call without arguments has an empty object', async () => {
    expect(await callsOf({ calls: [{ ...call, rawInput: '' }] })).toMatchObject([{ tool: 'delete_file', input: {} }])
  })

  test('a call id that the conversation has already becomes another', async () => {
    const wire = await startWireServer(() => ({ calls: [{ ...call, id: 'same' }] }))
    onTestFinished(() => wire.close())
    const model = wireModel(name, wire.origin)
    const first = await ask(model)
    expect(await ask(model, continued(hello, first))).toMatchObject({ calls: [{ id: 'same_2' }] })
  })

  test('doubled and empty call ids become different ones', async () => {
    const ids = (await callsOf({ calls: [1, 2, 3].map((n) => ({ ...call, id: n < 3 ? 'same' : '' })) })).map(
      (c) => c.id,
    )
    expect(ids.every((id) => id !== '')).toBe(true)
    expect(new Set(ids).size).toBe(3)
    expect(ids[0]).toBe('same')
  })
})

test('a server that nobody listens on is a network failure', async () => {
  const wire = await startWireServer([])
  await wire.close()
  const reply = await ask(wireModel('openai-compatible', wire.origin))
  expect(reply).toMatchObject({ stop: 'error', error: { kind: 'network', retryable: true } })
})

test('a spent quota is not tried again', async () => {
  const body = { error: { message: 'You exceeded your quota', type: 'insufficient_quota', code: 'insufficient_quota' } }
  const wire = await startWireServer([{ refusal: { status: 429, body: JSON.stringify(body) } }])
  onTestFinished(() => wire.close())
  expect(await ask(wireModel('openai', wire.origin))).toMatchObject({
    stop: 'error',
    error: { kind: 'rate_limited', retryable: false },
  })
})
