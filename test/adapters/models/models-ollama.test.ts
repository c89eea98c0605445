import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createModel } from '../../../src/adapters/models/create-model.ts'
import { ollamaHost, type ProviderConfig } from '../../../src/adapters/models/endpoint.ts'
import { limits } from '../../../src/domain/limits.ts'
import { shownModel } from '../../wire/ollama.ts'
import type { WireTurn } from '../../wire/turn.ts'
import { ask, continued, hello, wireModel } from '../../wire/wire-models.ts'
import { startWireServer } from '../../wire/wire-server.ts'

async function serve(turns: readonly WireTurn[]) {
  const wire = await startWireServer(turns)
  onTestFinished(() => wire.close())
  return wire
}

/**
 * A server that reports this about its model, answers every chat alike, and records the requests.
 */
async function serveShown(shown: object, answer: readonly object[]) {
  const asked: { path: string | undefined; body: { options?: object } }[] = []
  const server = createServer(async (request, response) => {
    asked.push({ path: request.url, body: (await json(request)) as { options?: object } })
    response.end(
      request.url === '/api/show' ? JSON.stringify(shown) : answer.map((line) => `${JSON.stringify(line)}\n`).join(''),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const yes = { model: 'qwen3', created_at: '2026-11-01T12:00:00Z', message: { role: 'assistant', content: 'Yes.' } }
const done = { ...yes, message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' }
const long = [{ role: 'user', text: 'word '.repeat(4_000) }] as const

function modelAt(origin: string, more: Partial<ProviderConfig> = {}) {
  const providers = { ollama: { kind: 'ollama', baseURL: origin, ...more } as ProviderConfig }
  return createModel({ id: 'ollama:qwen3', providers, env: {} })
}

test('the limits of context and reply are asked for in the options, where Ollama reads them', async () => {
  const wire = await serve([{ text: 'Yes.' }])
  await ask(wireModel('ollama', wire.origin))
  const { options, think, max_output_tokens, truncate, shift, stream } = wire.requests[0]?.body ?? {}
  expect({ options, think, max_output_tokens, truncate, shift, stream }).toEqual({
    options: { num_ctx: limits.ollamaContext, num_predict: 1_000 },
    think: undefined,
    max_output_tokens: undefined,
    truncate: false,
    shift: false,
    stream: true,
  })
})

test.each([
  ['all that a small model has', { 'general.architecture': 'phi', 'phi.context_length': 8_192 }, '', 8_192],
  ['no more than the limit of a large one', { 'general.architecture': 'q', 'q.context_length': 262_144 }, '', 32_768],
  ['what its own file says', { 'general.architecture': 'q', 'q.context_length': 262_144 }, 'num_ctx     65536', 65_536],
  ['the limit where the server says nothing', {}, '', 32_768],
])('without a number of the user the context is %s', async (_, model_info, parameters, expected) => {
  const server = await serveShown({ ...shownModel, model_info, parameters }, [done])
  const model = modelAt(server.origin)
  await ask(model)
  await ask(model)
  expect(server.asked.map(({ path }) => path)).toEqual(['/api/show', '/api/chat', '/api/chat'])
  expect(server.asked[1]?.body.options).toMatchObject({ num_ctx: expected })
})

test('the number of the user wins, and nothing is asked for it', async () => {
  const server = await serveShown(shownModel, [done])
  await ask(modelAt(server.origin, { num_ctx: 50_000 }))
  expect(server.asked).toMatchObject([{ path: '/api/chat', body: { options: { num_ctx: 50_000 } } }])
})

test('the limit that the server reports for its model leaves room for a reply', async () => {
  const words = 'x'.repeat(8_000_000)
  const reply = [{ ...yes, message: { role: 'assistant', content: words } }, done]
  const server = await serveShown({ ...shownModel, license: words.slice(0, 900_000) }, reply)
  expect(await ask(modelAt(server.origin))).toMatchObject({ stop: 'end', text: expect.stringContaining('xxx') })
})

test('a chat that a proxy answers with no content is an error, and no fault of Drydock', async () => {
  const server = createServer((_, response) => response.writeHead(204).end())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  expect(await ask(modelAt(`http://127.0.0.1:${port}`))).toMatchObject({
    stop: 'error',
    error: { kind: 'interrupted', retryable: true, message: expect.stringContaining('sent an empty answer. If') },
  })
})

test('a prompt of which the server has read only the end is an error that says what to do', async () => {
  const wire = await serve([
    { text: 'Yes.', calls: [{ tool: 'read_file', input: {} }], usage: { input: 2_048, output: 5 } },
  ])
  expect(await ask(wireModel('ollama', wire.origin), long)).toEqual({
    stop: 'error',
    error: {
      kind: 'prompt_truncated',
      message: expect.stringMatching(
        /read only 2048 of at least 5\d\d\d tokens.*num_ctx was 32768.*providers\.ollama\.num_ctx/,
      ),
      retryable: false,
      retryAfterMs: null,
    },
    usage: { input: 2_048, output: 5, cacheRead: 0, cacheWrite: 0 },
  })
})

test('a prompt beyond its context is an error, also when most of it was read', async () => {
  const server = await serveShown(shownModel, [{ ...done, prompt_eval_count: 4_000, eval_count: 5 }])
  expect(await ask(modelAt(server.origin, { num_ctx: 4_096 }), long)).toMatchObject({
    error: { kind: 'prompt_truncated' },
  })
})

test('a prompt that was read whole is none, whatever the tokenizer makes of it', async () => {
  const wire = await serve([{ text: 'Yes.', usage: { input: 4_010, output: 5 } }])
  expect(await ask(wireModel('ollama', wire.origin), long)).toMatchObject({ stop: 'end', text: 'Yes.' })
})

test('thinking, the calls and the names of their tools go back in the next request', async () => {
  const calls = [{ tool: 'read_file', input: { path: 'a.ts' } }]
  const wire = await serve([{ reasoning: 'Which file?', text: 'I look.', calls }, { text: 'Yes.' }])
  const model = wireModel('ollama', wire.origin)
  await ask(model, continued(hello, await ask(model)))
  const id = 'call_1_0'
  expect(wire.requests[1]?.body.messages.slice(2)).toEqual([
    {
      role: 'assistant',
      content: 'I look.',
      thinking: 'Which file?',
      tool_calls: [{ id, type: 'function', function: { name: 'read_file', arguments: { path: 'a.ts' } } }],
    },
    { role: 'tool', tool_call_id: id, tool_name: 'read_file', content: 'the result' },
  ])
})

test('the content of the last line is not lost', async () => {
  const server = await serveShown(shownModel, [{ ...yes, done: true, done_reason: 'stop' }])
  expect(await ask(modelAt(server.origin))).toMatchObject({ stop: 'end', text: 'Yes.' })
})

test.each([
  { status: 404, error: "model 'qwen3' not found", kind: 'unknown_model', advice: 'ollama pull qwen3' },
  { status: 400, error: 'library/qwen3 does not support tools', kind: 'no_tools', advice: 'ollama show qwen3' },
  { status: 400, error: 'the input exceeds the context length', kind: 'context_overflow', advice: 'exceeds' },
])('"$error" is a refusal as $kind that says what to do', async ({ status, error, kind, advice }) => {
  const wire = await serve([{ refusal: { status, body: JSON.stringify({ error }) } }])
  const reply = await ask(wireModel('ollama', wire.origin))
  expect(reply).toMatchObject({ stop: 'error', error: { kind, retryable: false } })
  expect(JSON.stringify(reply)).toContain(advice)
})

test('a server that is not there is a failure that says how to start it', async () => {
  const wire = await startWireServer([])
  await wire.close()
  expect(await ask(modelAt(wire.origin))).toMatchObject({
    error: { kind: 'network', retryable: true, message: expect.stringContaining('ollama serve') },
  })
})

test('OLLAMA_HOST says where the server is, and no key is needed or sent', async () => {
  const wire = await serve([{ text: 'Yes.' }])
  const env = { OLLAMA_HOST: wire.origin.replace('http://127.0.0.1', '0.0.0.0') }
  expect(await ask(createModel({ id: 'ollama:qwen3', env }))).toMatchObject({ stop: 'end', text: 'Yes.' })
  expect(wire.requests[0]?.headers).not.toHaveProperty('authorization')
})

test.each([
  ['', 'http://127.0.0.1:11434'],
  ['gpu', 'http://gpu:11434'],
  [':8000', 'http://127.0.0.1:8000'],
  ['0.0.0.0', 'http://127.0.0.1:11434'],
  ['10.0.0.7:1234', 'http://10.0.0.7:1234'],
  ['https://ollama.example', 'https://ollama.example'],
  ['gpu/behind', 'http://gpu:11434/behind'],
])('OLLAMA_HOST "%s" is %s', (value, url) => {
  expect(ollamaHost(value)).toBe(url)
})
