import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { createModel } from '../../../src/adapters/models/create-model.ts'
import type { ProviderConfig } from '../../../src/adapters/models/endpoint.ts'
import { shownModel } from '../../wire/ollama.ts'
import { ask } from '../../wire/wire-models.ts'

/** A server that says this of its model, answers every chat the same, and counts. */
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

function modelAt(origin: string, more: Partial<ProviderConfig> = {}) {
  const providers = { ollama: { kind: 'ollama', baseURL: origin, ...more } as ProviderConfig }
  return createModel({ id: 'ollama:qwen3', providers, env: {} })
}

test('what the server says of its model takes nothing of the room that a reply has', async () => {
  const words = 'x'.repeat(8_000_000)
  const reply = [{ ...yes, message: { role: 'assistant', content: words } }, done]
  const server = await serveShown({ ...shownModel, license: words.slice(0, 900_000) }, reply)
  expect(await ask(modelAt(server.origin))).toMatchObject({ stop: 'end', text: expect.stringContaining('xxx') })
})
