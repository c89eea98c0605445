import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createModel } from '../../../src/adapters/models/create-model.ts'
import { limits } from '../../../src/domain/limits.ts'
import { ask, wireModel, wireSettings } from '../../wire/wire-models.ts'

const settings = wireSettings('http://127.0.0.1:9')
const windowOf = (id: string, more: object = {}) => createModel({ id, ...settings, ...more }).contextWindow?.()

describe('the window of a model', () => {
  test.each([
    ['of Anthropic', 'anthropic:claude-sonnet-4-5', 200_000],
    ['of OpenAI', 'openai:gpt-5', 400_000],
    ['that nobody has heard of', 'google:gemini-unheard-of', limits.context.unknownTokens],
    ['of a compatible server, which may be called anything', 'wire:gpt-5', limits.context.unknownTokens],
    ['of Ollama that was not asked yet', 'ollama:qwen3', limits.ollamaContext],
  ])('%s is %s: %i tokens', async (_, id, tokens) => {
    expect(await windowOf(id)).toBe(tokens)
  })

  test('is what the user says', async () => {
    expect(await windowOf('anthropic:claude-sonnet-4-5', { contextTokens: 50_000 })).toBe(50_000)
    const providers = { mine: { kind: 'ollama', num_ctx: 8_192 } } as const
    expect(await windowOf('mine:qwen3', { providers })).toBe(8_192)
  })

  test('of Ollama is what its server says of it, once it was asked', async () => {
    const shown = { model_info: { 'general.architecture': 'small', 'small.context_length': 8_192 } }
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(request.url === '/api/show' ? 200 : 500).end(JSON.stringify(shown))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const model = wireModel('ollama', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    await ask(model)
    server.close()
    expect(await model.contextWindow?.()).toBe(8_192)
  })
})
