import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { findLocalServers } from '../../../src/adapters/models/local-servers.ts'
import { describeLocalServer } from '../../../src/cli/commands/doctor/local-models.ts'
import { type LocalProvider, localProviders } from '../../../src/domain/providers.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

type Answers = Readonly<Record<string, unknown>>

/** Listens on any free port; requests without an answer get 404. */
async function listen(answers: Answers | 'hangs'): Promise<number> {
  const server = createServer(async (request, response) => {
    const body = await text(request)
    if (answers === 'hangs') return
    const key = [request.url, body && JSON.parse(body).model].filter(Boolean).join(' ')
    response.writeHead(key in answers ? 200 : 404).end(JSON.stringify(answers[key] ?? {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(server)
  return (server.address() as AddressInfo).port
}

/** Ports without a listener, except the given ones. */
async function portsWith(given: Partial<Record<LocalProvider, number>>): Promise<Record<LocalProvider, number>> {
  const free = await listen({})
  const gone = servers.pop()
  gone?.close()
  await once(gone as Server, 'close')
  return { ollama: free, lmstudio: free, llamacpp: free, vllm: free, ...given }
}

const ollama = {
  '/api/tags': { models: [{ name: 'qwen3:8b' }, { name: 'gemma:2b' }, { name: 'old' }] },
  '/api/show qwen3:8b': {
    model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 40_960 },
    capabilities: ['completion', 'tools'],
  },
  '/api/show gemma:2b': {
    model_info: { 'general.architecture': 'gemma', 'gemma.context_length': 8_192 },
    capabilities: ['completion'],
  },
}

test('Ollama is found with its models, their tools and their context', async () => {
  const port = await listen(ollama)
  expect(await findLocalServers(await portsWith({ ollama: port }))).toEqual([
    {
      provider: 'ollama',
      title: 'Ollama',
      origin: `http://127.0.0.1:${port}`,
      models: [
        { id: 'ollama:qwen3:8b', tools: true, context: 40_960 },
        { id: 'ollama:gemma:2b', tools: false, context: 8_192 },
        { id: 'ollama:old', tools: null, context: null },
      ],
    },
  ])
})

test('LM Studio, llama.cpp and vLLM are found with what each of them says', async () => {
  const lmstudio = await listen({
    '/api/v0/models': {
      data: [
        {
          id: 'qwen/qwen3-coder',
          type: 'llm',
          max_context_length: 262_144,
          loaded_context_length: 32_000,
          capabilities: ['tool_use'],
        },
        { id: 'nomic', type: 'embeddings', max_context_length: 2_048 },
      ],
    },
  })
  const llamacpp = await listen({
    '/props': { default_generation_settings: { n_ctx: 16_384 }, chat_template_caps: { supports_tools: true } },
    '/v1/models': { data: [{ id: '/models/qwen3-q4.gguf', owned_by: 'llamacpp' }] },
  })
  const vllm = await listen({
    '/v1/models': { data: [{ id: 'Qwen/Qwen3-32B', owned_by: 'vllm', max_model_len: 65_536 }] },
  })
  const found = await findLocalServers(await portsWith({ lmstudio, llamacpp, vllm }))
  expect(found.map(({ models }) => models)).toEqual([
    [{ id: 'lmstudio:qwen/qwen3-coder', tools: true, context: 32_000 }],
    [{ id: 'llamacpp:qwen3-q4.gguf', tools: true, context: 16_384 }],
    [{ id: 'vllm:Qwen/Qwen3-32B', tools: null, context: 65_536 }],
  ])
})

test('other servers at the port are not taken for a model server, and a silent one is not waited for', async () => {
  const other = await listen({
    '/v1/models': { data: [{ id: 'x', owned_by: 'someone' }] },
    '/props': [],
    '/api/tags': 'no',
  })
  const silent = await listen('hangs')
  expect(await findLocalServers({ ollama: other, lmstudio: silent, llamacpp: other, vllm: other })).toEqual([])
})

test('the ports are those that the servers have by default', () => {
  const ports = Object.entries(localProviders).map(([name, { port }]) => [name, port])
  expect(Object.fromEntries(ports)).toEqual({ ollama: 11434, lmstudio: 1234, llamacpp: 8080, vllm: 8000 })
})

test('doctor names the models and prints the line that uses the best of them', async () => {
  const [server] = await findLocalServers(await portsWith({ ollama: await listen(ollama) }))
  if (!server) throw new Error('no server was found')
  expect(describeLocalServer(server)).toEqual({
    name: 'ollama',
    found: `Ollama at ${server.origin}: qwen3:8b (tools, 40960 tokens); gemma:2b (no tools, 8192 tokens); old (tools unknown, context unknown)`,
    use: 'drydock task --model ollama:qwen3:8b "…"',
  })
  const [, weak] = server.models
  expect(describeLocalServer({ ...server, models: weak ? [weak] : [] }).use).toBe(null)
})
