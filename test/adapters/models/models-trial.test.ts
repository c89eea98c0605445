import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createModel } from '../../../src/adapters/models/create-model.ts'
import { createKeptTrials } from '../../../src/adapters/models/trial/kept-trials.ts'
import type { Dialect, WireTurn } from '../../wire/turn.ts'
import { dialectNames, wireIds, wireKey, wireSettings } from '../../wire/wire-models.ts'
import { startWireServer, type WireServer } from '../../wire/wire-server.ts'

const usage = { input: 90, output: 12 }
const called: WireTurn = { calls: [{ tool: 'ready', input: { ok: true } }], usage }
const prose: WireTurn = { text: 'I am ready!', usage }
const request = { run: 'run-1', lane: 'editor/task/PLANNING', turn: 0 }
const hour = 3_600_000

interface Processes {
  readonly edition?: string
  readonly now?: () => number
  readonly env?: Readonly<Record<string, string>>
}

async function serve(turns: readonly WireTurn[]) {
  const left = [...turns]
  // The list of models, which is also requested, is not part of the script.
  const server = await startWireServer(({ dialect }) =>
    dialect === null ? { refusal: { status: 404 } } : (left.shift() ?? { refusal: { status: 500 } }),
  )
  const folder = mkdtempSync(join(tmpdir(), 'drydock-trial-'))
  onTestFinished(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  })
  /** Opens the model as a separate process would. */
  const open = (name: Dialect['name'], { edition = '1', now = Date.now, env = {} }: Processes = {}) => {
    const clock = { now: () => new Date(now()) }
    const kept = createKeptTrials({ file: join(folder, 'cache', 'tried-models'), edition, clock })
    const settings = wireSettings(server.origin)
    return createModel({ id: wireIds[name], ...settings, env: { ...settings.env, ...env }, trials: { kept, clock } })
  }
  return { server, open }
}

const asked = ({ requests }: WireServer) => requests.filter(({ dialect }) => dialect !== null)
const never = new AbortController().signal
const run = (model: ReturnType<typeof createModel>) => model.trial?.run(request, never)

for (const name of dialectNames) {
  test(`${name}: one small request with one tool shows that the model calls it`, async () => {
    const { server, open } = await serve([called])
    expect(await run(open(name))).toMatchObject({
      type: 'tried',
      found: { calls: 'yes', reportsUsage: true, endsStream: true },
      usage,
    })
    const posts = asked(server)
    expect(posts).toHaveLength(1)
    expect(posts[0]?.raw.length).toBeLessThan(1_500)
    expect(posts[0]?.raw.match(/"ready"/g)?.length).toBeGreaterThan(0)
  })

  test(`${name}: a model that answers with prose is asked once more, and then has to call`, async () => {
    const { server, open } = await serve([prose, called])
    expect(await run(open(name))).toMatchObject({
      type: 'tried',
      found: { calls: 'forced' },
      usage: { input: 180, output: 24 },
    })
    expect(asked(server)).toHaveLength(2)
    const [plain, forced] = asked(server).map(({ body }) => JSON.stringify(body))
    // The native API of Ollama has no such choice.
    if (name !== 'ollama') expect(forced).toMatch(/"required"|"any"|"ANY"/)
    expect(plain).not.toMatch(/"tool_choice":"required"|"type":"any"|"ANY"/)
  })

  test(`${name}: one that calls nothing cannot be used, and the server's remedy is said`, async () => {
    const { open } = await serve([prose, prose, called])
    const model = open(name)
    const trial = await run(model)
    expect(trial).toMatchObject({ type: 'no_tools', error: { kind: 'no_tools', retryable: false } })
    const remedies: Partial<Record<Dialect['name'], RegExp>> = {
      ollama: /ollama show qwen3/,
      'openai-compatible': /--jinja.*--enable-auto-tool-choice --tool-call-parser/,
    }
    expect(trial).toMatchObject({ error: { todo: expect.stringMatching(remedies[name] ?? /can call tools/) } })
    // Nothing is stored, since the flag may be set next time.
    expect(await run(model)).toMatchObject({ type: 'tried', found: { calls: 'yes' } })
  })
}

const refusals: readonly (readonly [string, number, string, RegExp])[] = [
  ['vLLM', 400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', /parser/],
  ['llama.cpp', 500, 'tools param requires --jinja flag', /--jinja/],
  ['OpenRouter', 404, 'No endpoints found that support tool use. To learn more', /can call tools/],
]
for (const [server, status, message, remedy] of refusals) {
  test(`a server that refuses tools, as ${server} says it, is not asked again and not waited for`, async () => {
    const { server: wire, open } = await serve([{ refusal: { status, body: JSON.stringify({ error: { message } }) } }])
    expect(await run(open('openai-compatible'))).toMatchObject({
      type: 'no_tools',
      error: { kind: 'no_tools', retryable: false, todo: expect.stringMatching(remedy) },
      usage: null,
    })
    expect(asked(wire)).toHaveLength(1)
  })
}

test('a model of Ollama without tools is said with where its capabilities are', async () => {
  const body = JSON.stringify({ error: 'registry.ollama.ai/library/qwen3 does not support tools' })
  const { open } = await serve([{ refusal: { status: 400, body } }])
  expect(await run(open('ollama'))).toMatchObject({
    type: 'no_tools',
    error: { todo: expect.stringContaining('ollama show qwen3') },
  })
})

test('a provider that is away, full or refuses the key is not a failed trial, and nothing is kept', async () => {
  const { open } = await serve([
    { error: { kind: 'rate_limited', retryAfterMs: 5 } },
    { error: { kind: 'auth' } },
    { fault: 'reset' },
    called,
  ])
  const kinds = []
  for (let i = 0; i < 3; i += 1) {
    const trial = await run(open('anthropic'))
    kinds.push(trial?.type === 'unanswered' && trial.error.kind)
  }
  expect(kinds).toEqual(['rate_limited', 'auth', 'network'])
  expect(await run(open('anthropic'))).toMatchObject({ type: 'tried' })
})

test('a stream without an end, no usage and a reply that is cut are weaknesses, not failures', async () => {
  const { open } = await serve([{ ...called, fault: 'no_end' }])
  expect(await run(open('anthropic'))).toMatchObject({ type: 'tried', found: { calls: 'unknown', endsStream: false } })

  const mute = await serve([{ calls: called.calls ?? [] }])
  expect(await run(mute.open('anthropic'))).toMatchObject({
    type: 'tried',
    found: { calls: 'yes', reportsUsage: false },
    usage: { output: 2_048 },
  })

  const cut = await serve([{ text: 'Let me think', stop: 'length', usage }])
  expect(await run(cut.open('anthropic'))).toMatchObject({ type: 'tried', found: { calls: 'unknown' } })
})

test('the result is kept for a day, for other processes too, and until the configuration changes', async () => {
  const { server, open } = await serve([called, called, called, called])
  const start = Date.now()
  await run(open('anthropic', { now: () => start }))
  expect(await run(open('anthropic', { now: () => start + 23 * hour }))).toMatchObject({ type: 'known' })
  expect(server.requests).toHaveLength(1)
  expect(await run(open('anthropic', { now: () => start + 25 * hour }))).toMatchObject({ type: 'tried' })
  expect(await run(open('anthropic', { env: { ANTHROPIC_API_KEY: `${wireKey}2` } }))).toMatchObject({ type: 'tried' })
  expect(await run(open('anthropic', { edition: '2' }))).toMatchObject({ type: 'tried' })
})

test('lanes that begin at once share one trial', async () => {
  const gate = Promise.withResolvers<void>()
  const { server, open } = await serve([{ ...called, after: gate.promise }])
  const model = open('anthropic')
  const both = Promise.all([run(model), run(model)])
  gate.resolve()
  expect((await both).map((trial) => trial?.type)).toEqual(['tried', 'known'])
  expect(server.requests).toHaveLength(1)
})

const chat = [
  {
    choices: [
      {
        index: 0,
        delta: {
          tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'ready', arguments: '{"ok":true}' } }],
        },
      },
    ],
  },
  {
    choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }],
    usage: { prompt_tokens: 90, completion_tokens: 12 },
  },
]

const servers: readonly (readonly [string, Readonly<Record<string, object>>, number | null])[] = [
  ['vLLM', { '/v1/models': { data: [{ id: 'm', owned_by: 'vllm', max_model_len: 40_960 }] } }, 40_960],
  [
    'OpenRouter',
    { '/v1/models': { data: [{ id: 'm', context_length: 262_144, top_provider: { context_length: 131_072 } }] } },
    131_072,
  ],
  ['Groq', { '/v1/models': { data: [{ id: 'm', owned_by: 'groq', context_window: 131_072 }] } }, 131_072],
  [
    'llama.cpp',
    {
      // The list reports the size that the model was trained with.
      '/v1/models': { data: [{ id: '/models/m.gguf', owned_by: 'llamacpp', meta: { n_ctx_train: 131_072 } }] },
      '/props': { default_generation_settings: { n_ctx: 8_192 } },
    },
    8_192,
  ],
  [
    'LM Studio',
    {
      '/v1/models': { data: [{ id: 'm', object: 'model', owned_by: 'organization_owner' }] },
      '/api/v0/models': { data: [{ id: 'm', max_context_length: 131_072, loaded_context_length: 4_096 }] },
    },
    4_096,
  ],
  ['a server that tells nothing', { '/v1/models': { data: [{ id: 'm' }] } }, null],
]
for (const [name, answers, window] of servers) {
  test(`the context window is read from what ${name} says`, async () => {
    const server = createServer((incoming, response) => {
      incoming.resume()
      const told = answers[incoming.url ?? '']
      if (told) return void response.end(JSON.stringify(told))
      if (incoming.method === 'GET') return void response.writeHead(404).end()
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const part of chat)
        response.write(`data: ${JSON.stringify({ id: 'x', created: 1, model: 'm', ...part })}\n\n`)
      response.end('data: [DONE]\n\n')
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()))
    onTestFinished(() => void server.close())
    const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    const clock = { now: () => new Date() }
    const trials = { kept: createKeptTrials({ file: null, edition: '1', clock }), clock }
    const model = createModel({
      id: 'mine:m',
      providers: { mine: { kind: 'openai-compatible', baseURL } },
      env: {},
      trials,
    })
    expect(await run(model)).toMatchObject({ type: 'tried', found: { window, calls: 'yes' } })
    expect(await model.contextWindow?.()).toBe(window ?? 128_000)
    server.closeAllConnections()
  })
}
