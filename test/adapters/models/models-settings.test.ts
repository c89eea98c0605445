import { expect, onTestFinished, test } from 'vitest'
import { createModel } from '../../../src/adapters/models/create-model.ts'
import type { Providers } from '../../../src/adapters/models/endpoint.ts'
import { knownSecrets } from '../../../src/config/known-secrets.ts'
import { userSchema } from '../../../src/config/schema.ts'
import type { Dialect } from '../../wire/turn.ts'
import { ask, dialectNames, hello, wireIds, wireKey, wireSettings } from '../../wire/wire-models.ts'
import { startWireServer } from '../../wire/wire-server.ts'

const kinds = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'google',
  wire: 'openai-compatible',
  ollama: 'ollama',
}

/** The request to a model whose provider has these settings. */
async function sentWith(
  name: Dialect['name'],
  settings: object,
  more: { model?: string; effort?: string; env?: object } = {},
) {
  const wire = await startWireServer([{ text: 'Hello.' }])
  onTestFinished(() => wire.close())
  const { env, providers } = wireSettings(wire.origin)
  const [provider = ''] = wireIds[name].split(':')
  const entry = { ...providers[provider as 'wire'], kind: kinds[provider as keyof typeof kinds], ...settings }
  const parsed = userSchema.parse({ providers: { ...providers, [provider]: entry } }).providers as Providers
  const known = more.model === undefined ? wireIds[name] : `${provider}:${more.model}`
  const id = more.effort === undefined ? known : `${known}#${more.effort}`
  const model = createModel({ id, providers: parsed, env: { ...env, ...more.env } })
  const reply = await ask(model, hello, { maxOutputTokens: model.replyTokens ?? 1_000 })
  expect(reply).toMatchObject({ stop: 'end', text: 'Hello.' })
  expect(model.id).toBe(known)
  const [request] = wire.requests
  if (request === undefined) throw new Error('nothing was sent')
  return request
}

/** The fields of effort, temperature and longest reply in each format. */
const places: Readonly<Record<Dialect['name'], (body: never) => unknown[]>> = {
  anthropic: ({ thinking, max_tokens }: { thinking: { type: string }; max_tokens: number }) => [
    thinking.type,
    max_tokens,
  ],
  openai: ({ reasoning, max_output_tokens }) => [(reasoning as { effort: string }).effort, max_output_tokens],
  'openai-compatible': ({ reasoning_effort, max_tokens }) => [reasoning_effort, max_tokens],
  google: ({ generationConfig: { thinkingConfig, maxOutputTokens } }) => [
    (thinkingConfig as { thinkingLevel: string }).thinkingLevel,
    maxOutputTokens,
  ],
  ollama: ({ think, options }) => [think, (options as { num_predict: number }).num_predict],
}

const told: Readonly<Record<Dialect['name'], unknown[]>> = {
  anthropic: ['enabled', 2_048],
  openai: ['high', 2_048],
  'openai-compatible': ['high', 2_048],
  google: ['high', 2_048],
  ollama: [true, 2_048],
}

test.each(dialectNames)('%s is told the effort and the longest reply that its entry names', async (name) => {
  const { body } = await sentWith(name, { effort: 'high', max_output_tokens: 2_048 })
  expect(places[name](body as never)).toEqual(told[name])
})

test.each(dialectNames)('%s thinks as its role says, whatever its entry says', async (name) => {
  const { body } = await sentWith(name, { effort: 'low', max_output_tokens: 2_048 }, { effort: 'high' })
  expect(places[name](body as never)).toEqual(told[name])
})

test.each(['low', 'high', 'max'])(
  'at effort %s the thinking lies inside the reply that was asked for',
  async (effort) => {
    const settings = { effort, max_output_tokens: 16_384, extra_body: { routing: 'speed' } }
    const anthropic = (await sentWith('anthropic', settings)).body
    const half = effort === 'low' ? 6_400 : 8_192
    expect(anthropic).toMatchObject({ max_tokens: 16_384, thinking: { budget_tokens: half }, routing: 'speed' })
    const thinkingConfig = { thinkingBudget: effort === 'low' ? 6_554 : 8_192 }
    const google = (await sentWith('google', settings, { model: 'gemini-2.5-flash' })).body
    expect(google).toMatchObject({ generationConfig: { maxOutputTokens: 16_384, thinkingConfig } })
  },
)

test('a model of a short reply is asked for no more than it writes, and one too short for thinking thinks not', async () => {
  const opus = await sentWith('anthropic', { effort: 'max', max_output_tokens: 40_000 }, { model: 'claude-opus-4-1' })
  expect(opus.body).toMatchObject({ max_tokens: 32_000, thinking: { budget_tokens: 16_000 } })
  const { body } = await sentWith('anthropic', { effort: 'high', max_output_tokens: 2_000 })
  expect(body).toMatchObject({ max_tokens: 2_000 })
  expect(body).not.toHaveProperty('thinking')
})

test('the thinking that the user asks for in the body is sent as it is', async () => {
  const thinking = { type: 'enabled', budget_tokens: 12_000 }
  const settings = { effort: 'high', max_output_tokens: 16_384, extra_body: { thinking } }
  expect((await sentWith('anthropic', settings)).body).toMatchObject({ max_tokens: 16_384, thinking })
})

test.each(dialectNames)(
  '%s gets the headers and the fields of the body of its entry and of the model',
  async (name) => {
    const [, model = ''] = /:(.*)$/.exec(wireIds[name]) ?? []
    const request = await sentWith(
      name,
      {
        headers: { 'X-Title': 'mine', 'X-Team': { env: 'TEAM_TOKEN' } },
        extra_body: { routing: { order: ['a'], sort: 'price' } },
        models: { [model]: { headers: { 'x-title': 'of the model' }, extra_body: { routing: { sort: 'speed' } } } },
      },
      { env: { TEAM_TOKEN: 'team-0123456789-abcdef' } },
    )
    expect(request.headers).toMatchObject({ 'x-title': 'of the model', 'x-team': 'team-0123456789-abcdef' })
    expect(request.body).toMatchObject({ routing: { order: ['a'], sort: 'speed' } })
    expect(request.raw).toContain('Go on.')
  },
)

test('a temperature is sent where the model takes one', async () => {
  expect((await sentWith('openai-compatible', { temperature: 0.2 })).body).toMatchObject({ temperature: 0.2 })
  expect((await sentWith('google', { temperature: 0.2 })).body).toMatchObject({
    generationConfig: { temperature: 0.2 },
  })
  expect((await sentWith('ollama', { temperature: 0.2 })).body).toMatchObject({ options: { temperature: 0.2 } })
})

test('a provider of kind google of one’s own is reached at its base URL with its key', async () => {
  const wire = await startWireServer([{ text: 'Hello.', usage: { input: 12, output: 3, cacheRead: 4 } }])
  onTestFinished(() => wire.close())
  const entry = { kind: 'google', baseURL: `${wire.origin}/gate/v1beta`, apiKeyEnv: 'MINE' }
  const { providers } = userSchema.parse({ providers: { mine: entry } })
  const reply = await ask(createModel({ id: 'mine:gemini-3-pro', providers, env: { MINE: wireKey } }))
  expect(reply).toMatchObject({ stop: 'end', text: 'Hello.', usage: { input: 12, output: 3, cacheRead: 4 } })
  expect(wire.requests[0]?.path).toBe('/gate/v1beta/models/gemini-3-pro:streamGenerateContent')
  expect(wire.requests[0]?.headers['x-goog-api-key']).toBe(wireKey)
})

test('a secret in a header is known, and not shown by a failure', async () => {
  const headers = { 'X-Gate-Auth': 'gate-secret-0123456789', 'X-Title': 'my title 0123456789' }
  const entry = { kind: 'openai-compatible' as const, baseURL: 'http://127.0.0.1:1/v1', headers }
  const secrets = knownSecrets({ HOME: '/nobody' }, userSchema.parse({ providers: { mine: entry } }))
  expect(secrets).toContain('gate-secret-0123456789')
  expect(secrets).not.toContain('my title 0123456789')
  const wire = await startWireServer([{ error: { kind: 'auth', message: `wrong: ${headers['X-Gate-Auth']}` } }])
  onTestFinished(() => wire.close())
  const mine = { ...entry, baseURL: `${wire.origin}/v1` }
  const reply = await ask(createModel({ id: 'mine:m', providers: { mine }, env: {} }))
  expect(reply).toMatchObject({ stop: 'error', error: { message: expect.stringContaining('wrong: [key]') } })
})

test('a header whose value is short enough to be part of words is left in a failure', async () => {
  const wire = await startWireServer([{ error: { kind: 'auth', message: 'This session has no access.' } }])
  onTestFinished(() => wire.close())
  const headers = { 'X-Team': 's', 'X-Stage': 'session' }
  const mine = { kind: 'openai-compatible' as const, baseURL: `${wire.origin}/v1`, headers }
  const reply = await ask(createModel({ id: 'mine:m', providers: { mine }, env: {} }))
  const message = expect.stringContaining('This session has no access.')
  expect(reply).toMatchObject({ stop: 'error', error: { message } })
})

test('a header whose variable is not set is told before anything is sent', () => {
  const headers = { 'X-Team': { env: 'TEAM_TOKEN' } }
  const providers = { mine: { kind: 'openai', baseURL: 'http://127.0.0.1:1/v1', headers } } as const
  expect(() => createModel({ id: 'mine:m', providers, env: {} })).toThrow('TEAM_TOKEN is not set. The header x-team')
})

test('an effort that there is not is told with those that there are', () => {
  const { env } = wireSettings('http://127.0.0.1:1')
  expect(() => createModel({ id: 'openai:gpt-5#enormous', env })).toThrow('"enormous" is no effort of a model')
})

test.each([
  [{ openai: { kind: 'openai', baseURL: 'https://elsewhere.test' } }, 'is the name of a built-in provider'],
  [{ openai: { kind: 'anthropic' } }, 'its kind is "openai"'],
  [{ openai: { kind: 'openai', apiKeyEnv: 'MINE' } }, 'takes no baseURL and no apiKeyEnv'],
  [{ mine: { kind: 'openai' } }, 'is missing'],
  [{ mine: { kind: 'openai', baseURL: 'https://a.test', extra_body: { messages: [] } } }, 'is written by Drydock'],
  [{ mine: { kind: 'openai', baseURL: 'https://a.test', headers: { 'X-A': 'a\nb' } } }, 'must be printable ASCII'],
  [{ mine: { kind: 'openai', baseURL: 'https://a.test', headers: { 'X A': 'a' } } }, 'is no name of a header'],
])('%j is refused', (providers, words) => {
  expect(JSON.stringify(userSchema.safeParse({ providers }).error?.issues)).toContain(
    JSON.stringify(words).slice(1, -1),
  )
})
