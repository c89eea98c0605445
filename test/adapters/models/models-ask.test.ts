import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { askProvider } from '../../../src/adapters/models/ask-provider.ts'

test.each([401, 500])('a provider that answers %i is left, whatever else it says', async (status) => {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.write(' '.repeat(4 * 1_048_576))
  })
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const left = once(server, 'connection').then(
    ([socket]: Socket[]) => new Promise((resolve) => socket?.on('error', () => {}).once('close', resolve)),
  )
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const providers = { near: { kind: 'openai-compatible', baseURL } } as const
  const answer = status === 401 ? 'key_refused' : 'failed'
  expect(await askProvider('near', { providers, env: {} })).toMatchObject({ answer })
  await left
})
