import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Drydock } from '../../src/app/drydock.ts'
import { checkProviders } from '../../src/cli/commands/doctor/check-providers.ts'
import type { Context } from '../../src/cli/context.ts'

const key = 'sk-right-0123456789'

/** Answers the request for a list of models if the key is right. */
async function serveModels() {
  const server = createServer(({ headers }, response) => {
    const isAllowed = headers.authorization === `Bearer ${key}`
    response.writeHead(isAllowed ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isAllowed ? { data: [{ id: 'claude-sonnet-5-5' }] } : {}))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

test('doctor asks each provider that is configured, and says what is wrong with host, key and model', async () => {
  const { server, port } = await serveModels()
  onTestFinished(() => void server.close())
  const gone = await serveModels()
  await new Promise((resolve) => gone.server.close(resolve))
  const at = (baseURL: string, apiKeyEnv?: string) => ({ kind: 'openai-compatible', baseURL, apiKeyEnv })
  const origin = `http://127.0.0.1:${port}/v1`
  const providers = {
    gone: at(`http://127.0.0.1:${gone.port}/v1`),
    nowhere: at('http://nowhere.invalid/v1'),
    right: at(origin, 'RIGHT_KEY'),
    wrong: at(origin, 'WRONG_KEY'),
    unset: at(origin, 'UNSET_KEY'),
  }
  const env = { RIGHT_KEY: key, WRONG_KEY: 'sk-wrong-0123456789' }
  const context = { terminal: { env } } as unknown as Context
  const check = async (model: string) => {
    const checks = await checkProviders(context, { user: { providers } } as unknown as Drydock, [model])
    const missing = checks.filter(({ ok }) => !ok)
    return { all: checks.length, missing: missing.map(({ found, exit }) => [exit, found]) }
  }
  expect(await check('right:claude-sonnet-5-5')).toEqual({ all: 5, missing: [] })
  const said = (exit: number, words: RegExp) => ({ all: 5, missing: [[exit, expect.stringMatching(words)]] })
  expect(await check('right:gpt')).toEqual(said(2, /does not know gpt$/))
  expect(await check('wrong:x')).toEqual(said(2, /^wrong at .* refuses the key \(401\)$/))
  expect(await check('gone:x')).toEqual(said(4, /^gone at .* nothing listens there$/))
  expect(await check('nowhere:x')).toEqual(said(4, /^nowhere at nowhere\.invalid cannot/))
})
