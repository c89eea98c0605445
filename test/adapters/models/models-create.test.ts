import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createModel, type ModelOptions } from '../../../src/adapters/models/create-model.ts'
import { rawOrigin } from '../../../src/adapters/models/history.ts'
import { userSchema } from '../../../src/config/schema.ts'
import { DrydockError } from '../../../src/domain/drydock-error.ts'
import { ask, dialectNames, wireIds, wireKey, wireModel, wireSettings } from '../../wire/wire-models.ts'
import { startWireServer } from '../../wire/wire-server.ts'

function failureOf(options: Partial<ModelOptions>): DrydockError {
  try {
    createModel({ id: 'anthropic:claude', env: {}, ...options })
  } catch (error) {
    if (error instanceof DrydockError) return error
    throw error
  }
  throw new Error('no error was thrown')
}

test.each([
  ['anthropic:claude', 'ANTHROPIC_API_KEY'],
  ['openai:gpt-5', 'OPENAI_API_KEY'],
  ['google:gemini-3-pro', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  ['mine:large', 'MY_KEY'],
])('%s without its key names %s', (id, variable) => {
  const providers = { mine: { kind: 'openai', baseURL: 'http://localhost:1/v1', apiKeyEnv: 'MY_KEY' } } as const
  const error = failureOf({ id, providers, env: { [variable]: ' ' } })
  expect(error.code).toBe('no_key')
  expect(error.message).toContain(variable)
})

test('an unknown provider is named beside those there are', () => {
  const providers = { mine: { kind: 'openai', baseURL: 'http://localhost:1/v1' } } as const
  const error = failureOf({ id: 'antropic:claude', providers })
  expect(error.code).toBe('bad_model')
  expect(error.message).toContain(
    '"antropic". The known ones are anthropic, openai, google, ollama, lmstudio, llamacpp, vllm, replay, mine',
  )
})

test.each(['', 'claude', 'anthropic:', ':claude', 'anthropic: ', 'constructor:x', '__proto__:x'])(
  '"%s" is a bad model',
  (id) => {
    expect(failureOf({ id }).code).toBe('bad_model')
  },
)

test.each(['anthropic:claude,gpt-5', 'anthropic:claude,', 'anthropic:claude#high,gpt-5'])(
  '"%s" is a bad model, and the failure says how a list is written',
  (id) => {
    const { code, message, todo } = failureOf({ id, env: { ANTHROPIC_API_KEY: 'k' } })
    expect([code, message]).toEqual(['bad_model', `"${id}" is not a model id: it holds a comma.`])
    expect(todo).toContain('anthropic:claude-sonnet-5,openai:gpt-5.6')
  },
)

test('a recording may have a comma in its name', () => {
  expect(failureOf({ id: 'replay:a,b.json' }).message).toContain('The replay file a,b.json cannot be used')
})

test('a property name that every object has is not a provider', () => {
  expect(failureOf({ id: 'constructor:x' }).message).toContain('no model provider named "constructor"')
})

test.each(['localhost:11434', 'ftp://host/v1', 'http://user:s3cret@host/v1', 'not a url'])(
  'the base URL %s is refused without being quoted',
  (baseURL) => {
    const error = failureOf({ id: 'mine:m', providers: { mine: { kind: 'openai-compatible', baseURL } } })
    expect(error.code).toBe('bad_model')
    expect(`${error.message} ${error.todo}`).not.toContain(baseURL)
  },
)

test('a built-in provider cannot be redefined', () => {
  const providers = { openai: { kind: 'openai', baseURL: 'http://localhost:1/v1' } } as const
  expect(failureOf({ id: 'openai:gpt-5', providers, env: { OPENAI_API_KEY: 'k' } }).code).toBe('bad_model')
})

test('an openai-compatible provider needs no key and then sends none', async () => {
  const wire = await startWireServer([{ text: 'Hello.' }])
  onTestFinished(() => wire.close())
  const providers = { local: { kind: 'openai-compatible', baseURL: `${wire.origin}/v1/` } } as const
  const reply = await ask(createModel({ id: 'local:vendor/model:free', providers, env: { OPENAI_API_KEY: wireKey } }))
  expect(reply).toMatchObject({ stop: 'end', text: 'Hello.' })
  expect(wire.requests[0]).toMatchObject({ path: '/v1/chat/completions', body: { model: 'vendor/model:free' } })
  expect(wire.requests[0]?.headers).not.toHaveProperty('authorization')
})

test('a provider of kind anthropic is reached with or without /v1 in its base URL', async () => {
  const wire = await startWireServer([{ text: 'One.' }, { text: 'Two.' }])
  onTestFinished(() => wire.close())
  for (const baseURL of [`${wire.origin}/gate`, `${wire.origin}/gate/v1/`]) {
    const providers = { gate: { kind: 'anthropic', baseURL } } as const
    await ask(createModel({ id: 'gate:claude', providers, env: { ANTHROPIC_API_KEY: wireKey } }))
  }
  expect(wire.requests.map(({ path }) => path)).toEqual(['/gate/v1/messages', '/gate/v1/messages'])
  expect(wire.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['none', 'none'])
})

test.each(dialectNames)('the key of %s travels in its header and nowhere else', async (name) => {
  const wire = await startWireServer([{ text: 'Hello.' }])
  onTestFinished(() => wire.close())
  await ask(wireModel(name, wire.origin))
  const [request] = wire.requests
  const holders = Object.entries(request?.headers ?? {}).filter(([, value]) => String(value).includes(wireKey))
  expect(holders).toHaveLength(1)
  expect(request?.raw).not.toContain(wireKey)
})

test('a key that cannot be a header is not shown in the failure', async () => {
  const providers = {
    mine: { kind: 'openai-compatible', baseURL: 'http://127.0.0.1:1/v1', apiKeyEnv: 'MY_KEY' },
  } as const
  const reply = await ask(createModel({ id: 'mine:m', providers, env: { MY_KEY: 'sk-first\nsk-second' } }))
  expect(reply).toMatchObject({ stop: 'error' })
  expect(JSON.stringify(reply)).not.toMatch(/sk-first|sk-second/)
})

test('each model of the quick start is usable with its key, or with the configuration of its own server', () => {
  const rows = [...readFileSync('README.md', 'utf8').matchAll(/^\|.*\| (?:`(\w+)`|.*) \| (?:`|\[`)(\w+:\S+?)`.* \|$/gm)]
  expect(rows.map(([, , id]) => id?.split(':')[0])).toEqual(['anthropic', 'openai', 'google', 'ollama', 'mine'])
  const ownServer = /## Your own: `providers`[\s\S]*?```json\n([\s\S]+?)\n```/
  const [, config = ''] = ownServer.exec(readFileSync('docs/providers.md', 'utf8')) ?? []
  const { providers } = userSchema.parse(JSON.parse(config))
  for (const [, variable = 'MY_KEY', id = ''] of rows) {
    expect(createModel({ id, providers, env: { [variable]: 'a key' } }).id).toBe(id)
  }
})

test('no library of a provider is loaded before the first reply', async () => {
  const program = `
    import { registerHooks } from 'node:module'
    const seen = []
    registerHooks({ resolve: (name, context, next) => (seen.push(name), next(name, context)) })
    const { createModel } = await import('./src/adapters/models/create-model.ts')
    createModel({ id: 'anthropic:claude', env: { ANTHROPIC_API_KEY: 'k' } })
    console.log(JSON.stringify(seen))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  const loaded: string[] = JSON.parse(stdout)
  expect(loaded).toContain('zod')
  expect(loaded.filter((name) => /^(ai|undici|@ai-sdk\/.*)$/.test(name))).toEqual([])
})

test('the id stays as the user wrote it', () => {
  expect(createModel({ id: wireIds.openai, ...wireSettings('http://127.0.0.1:1') }).id).toBe('openai:gpt-5')
})

test('raw replies carry the major version of the SDK that is installed', () => {
  const { version } = JSON.parse(readFileSync('node_modules/ai/package.json', 'utf8'))
  expect(rawOrigin('anthropic')).toBe(`anthropic@${version.split('.')[0]}`)
})
