import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createModel } from '../../../src/adapters/models/create-model.ts'
import type { Message } from '../../../src/domain/lane/message.ts'
import type { WireTurn } from '../../wire/turn.ts'
import { ask, continued, dialectNames, hello, wireModel, wireSettings } from '../../wire/wire-models.ts'
import { type Script, startWireServer } from '../../wire/wire-server.ts'

const call = { tool: 'read_file', input: { path: 'a.ts', nested: { list: [1, null, 'ü'] } } }
const thinking: WireTurn = { reasoning: 'Which file?', text: 'I look.', calls: [call, call] }

async function serve(script: Script) {
  const wire = await startWireServer(script)
  onTestFinished(() => wire.close())
  return wire
}

/**
 * The request without cache marks, which are instructions to the provider's cache and not content.
 */
function unmarked(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (key, value) => (key === 'cache_control' ? undefined : value)))
}

describe.each(dialectNames)('%s', (name) => {
  test('a history restored from JSON gives the same bytes as the live one', async () => {
    const wire = await serve(() => thinking)
    const model = wireModel(name, wire.origin)
    const live = continued(hello, await ask(model))
    await ask(model, live)
    await ask(wireModel(name, wire.origin), JSON.parse(JSON.stringify(live)))
    const [, second, third] = wire.requests
    expect(second?.raw).toBe(third?.raw)
  })

  test('each request begins with all of the one before', async () => {
    const wire = await serve(() => thinking)
    const model = wireModel(name, wire.origin)
    let history: readonly Message[] = hello
    for (let turn = 0; turn < 4; turn++) history = continued(history, await ask(model, history))
    const bodies = wire.requests.map(({ body }) => unmarked(body) as Record<string, unknown>)
    const list = (body: Record<string, unknown>) => (body.messages ?? body.input ?? body.contents) as unknown[]
    for (const [index, body] of bodies.slice(1).entries()) {
      const before = bodies[index] as Record<string, unknown>
      expect(list(body).slice(0, list(before).length)).toEqual(list(before))
      expect(list(body).length).toBeGreaterThan(list(before).length)
      const rest = (one: Record<string, unknown>) => ({ ...one, messages: 0, input: 0, contents: 0 })
      expect(rest(body)).toEqual(rest(before))
      expect(JSON.stringify(body.tools)).toBe(JSON.stringify(before.tools))
    }
  })

  test('asking does not change the messages it was given', async () => {
    const wire = await serve(() => thinking)
    const model = wireModel(name, wire.origin)
    const history = continued(hello, await ask(model))
    const before = JSON.stringify(history)
    await ask(model, history)
    expect(JSON.stringify(history)).toBe(before)
  })

  test.skipIf(name === 'ollama')('usage counts cached tokens within the input', async () => {
    const wire = await serve([{ text: 'Yes.', usage: { input: 1_000, output: 50, cacheRead: 900 } }])
    expect(await ask(wireModel(name, wire.origin))).toMatchObject({
      usage: { input: 1_000, output: 50, cacheRead: 900, cacheWrite: 0 },
    })
  })

  test.each([
    ['below zero', { input: -5_000_000, output: -1 }],
    ['of nothing', { input: 0, output: 0 }],
    ['absurd', { input: 900_000_000_000, output: 1 }],
    ...(name === 'ollama'
      ? []
      : [['more from the cache than in all', { input: 10, output: 5, cacheRead: 1_000 }] as const]),
  ] as const)('usage that cannot be true is unknown: %s', async (_, usage) => {
    const wire = await serve([{ text: 'Yes.', usage }])
    expect(await ask(wireModel(name, wire.origin))).toMatchObject({ text: 'Yes.', usage: null })
  })

  test('reasoning goes back to its own provider', async () => {
    const wire = await serve(() => thinking)
    const model = wireModel(name, wire.origin)
    await ask(model, continued(hello, await ask(model)))
    expect(wire.requests[0]?.raw).not.toContain('Which file?')
    expect(wire.requests[1]?.raw).toContain('Which file?')
  })

  test('the reasoning of another provider is left out, its text and calls stay', async () => {
    const other = name === 'anthropic' ? 'openai' : 'anthropic'
    const wire = await serve(() => thinking)
    const history = continued(hello, await ask(wireModel(other, wire.origin)))
    const reply = await ask(wireModel(name, wire.origin), history)
    expect(reply).toMatchObject({ stop: 'calls' })
    const raw = wire.requests[1]?.raw
    expect(raw).toContain('I look.')
    expect(raw?.split('the result')).toHaveLength(3)
    expect(raw).not.toMatch(/Which file|signature-|sealed|rs_/)
  })

  test('an invalid call and its answer can be part of the history', async () => {
    const wire = await serve([{ calls: [{ tool: 'launch', input: [1] }, call] }, { text: 'I see.' }])
    const model = wireModel(name, wire.origin)
    const reply = await ask(model, continued(hello, await ask(model)))
    expect(reply).toMatchObject({ stop: 'end', text: 'I see.' })
    expect(wire.requests[1]?.raw.split('the result')).toHaveLength(3)
  })

  test('a text that was cut within a character is sent as well-formed text', async () => {
    const wire = await serve([{ text: 'Yes.' }])
    await ask(wireModel(name, wire.origin), [{ role: 'user', text: '\u{1F6A2}'.slice(0, 1) }])
    expect(wire.requests[0]?.raw).toContain('\ufffd')
    expect(wire.requests[0]?.raw).not.toMatch(/\\ud/i)
  })

  test('the facts of a replay are never sent', async () => {
    const wire = await serve([{ text: 'Yes.' }])
    await ask(wireModel(name, wire.origin), hello, { facts: { run_id: 'run_20260101_canary' } })
    expect(wire.requests[0]?.raw).not.toContain('canary')
  })
})

test('OpenAI gets a cache key that is of the conversation, and no other server one', async () => {
  const wire = await serve(() => thinking)
  const model = wireModel('openai', wire.origin)
  const history = continued(hello, await ask(model))
  await ask(model, history)
  await ask(wireModel('openai', wire.origin), history)
  await ask(model, hello, { lane: 'editor/other/CODING' })
  await ask(model, [{ role: 'user', text: 'Another task.' }])
  const keys = wire.requests.map(({ body }) => body.prompt_cache_key)
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
  expect(keys).toEqual([keys[0], keys[0], keys[0], keys[3], keys[4]])
  expect(new Set(keys).size).toBe(3)
  for (const other of dialectNames.filter((name) => name !== 'openai')) {
    await ask(wireModel(other, wire.origin))
    expect(wire.requests.at(-1)?.raw).not.toContain('cache_key')
  }
})

test('Anthropic gets its cache marks on the prompt, the last tool and the last two turns', async () => {
  const wire = await serve(() => thinking)
  const model = wireModel('anthropic', wire.origin)
  let history: readonly Message[] = hello
  for (let turn = 0; turn < 4; turn++) history = continued(history, await ask(model, history))
  const { system, tools, messages } = wire.requests[3]?.body ?? {}
  const marks = (blocks: readonly object[]) => blocks.map((block) => 'cache_control' in block)
  expect(marks(system)).toEqual([true])
  expect(marks(tools)).toEqual([false, true])
  const byMessage = messages.map((message: { content: object[] }) => marks(message.content))
  const assistant = [false, false, false, false]
  expect(byMessage).toEqual([[false], assistant, [false, false], assistant, [false, true], assistant, [false, true]])
})

test('Anthropic gets thinking back with its signature, before the calls', async () => {
  const wire = await serve(() => thinking)
  const model = wireModel('anthropic', wire.origin)
  await ask(model, continued(hello, await ask(model)))
  expect(wire.requests[1]?.body.messages[1].content.slice(0, 3)).toEqual([
    { type: 'thinking', thinking: 'Which file?', signature: 'signature-1' },
    { type: 'text', text: 'I look.' },
    { type: 'tool_use', id: 'toolu_1_2', name: 'read_file', input: call.input },
  ])
})

test('Anthropic gets no blank text back, and no message of a reply that was empty', async () => {
  const wire = await serve([{ text: '\n\n', calls: [call] }, { text: ' ' }, {}, { text: 'Yes.' }])
  const model = wireModel('anthropic', wire.origin)
  let history: readonly Message[] = hello
  for (let turn = 0; turn < 3; turn++) history = continued(history, await ask(model, history))
  await ask(model, history)
  const messages: { role: string; content: { type: string; text?: string }[] }[] = wire.requests[3]?.body.messages
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  expect(messages.flatMap(({ content }) => content).filter(({ text }) => text?.trim() === '')).toEqual([])
})

test('Anthropic gets only objects as the input of calls, whatever the model wrote', async () => {
  const odd = ['[1]', 'null', '"text"', '{"cut'].map((rawInput) => ({ ...call, rawInput }))
  const wire = await serve(() => ({ calls: odd }))
  const own = await ask(wireModel('anthropic', wire.origin))
  expect(own).toMatchObject({ calls: [{ input: [1] }, { input: {} }, { input: 'text' }, { input: '{"cut' }] })
  const others = await ask(wireModel('openai', wire.origin))
  for (const reply of [own, others]) {
    await ask(wireModel('anthropic', wire.origin), continued(hello, reply))
    const { content } = wire.requests.at(-1)?.body.messages[1] ?? {}
    expect(content.map(({ input }: { input: unknown }) => input)).toEqual([{}, {}, {}, {}])
  }
})

test('messages of the SDK about a request are not printed', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  const wire = await serve([{ text: 'Yes.' }])
  await ask(wireModel('anthropic', wire.origin), hello, { maxOutputTokens: 10_000_000 })
  await setImmediate()
  expect(wire.requests[0]?.body.max_tokens).toBeLessThan(10_000_000)
  expect(warnings).toEqual([])
})

test('OpenAI stores nothing and gets its sealed reasoning back', async () => {
  const wire = await serve(() => thinking)
  const model = wireModel('openai', wire.origin)
  await ask(model, continued(hello, await ask(model)))
  const body = wire.requests[1]?.body
  expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] })
  expect(body.input).toContainEqual({
    type: 'reasoning',
    id: 'rs_1',
    encrypted_content: 'sealed-1',
    summary: [{ type: 'summary_text', text: 'Which file?' }],
  })
})

test('an OpenAI model that does not reason is not asked for reasoning', async () => {
  const wire = await serve([{ text: 'Yes.' }])
  await ask(createModel({ id: 'openai:gpt-4.1', ...wireSettings(wire.origin) }))
  expect(wire.requests[0]?.body).toMatchObject({ store: false })
  expect(wire.requests[0]?.body).not.toHaveProperty('include')
})

test('Google gets the signature of a thought back on its call', async () => {
  const wire = await serve(() => thinking)
  const model = wireModel('google', wire.origin)
  await ask(model, continued(hello, await ask(model)))
  expect(wire.requests[1]?.body.contents[1].parts[2]).toMatchObject({
    functionCall: { name: 'read_file', args: call.input },
    thoughtSignature: 'signature-1',
  })
})

test('a compatible server is asked for usage and gets no marks of other providers', async () => {
  const wire = await serve([{ text: 'Yes.' }])
  await ask(wireModel('openai-compatible', wire.origin))
  expect(wire.requests[0]?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
  expect(wire.requests[0]?.raw).not.toMatch(/cache_control|cacheControl/)
})

test('call ids that a provider would refuse are replaced when a lane changes to it', async () => {
  const wire = await serve([{ calls: [{ ...call, id: 'functions.read_file:0' }] }, { text: 'Yes.' }])
  const history = continued(hello, await ask(wireModel('openai-compatible', wire.origin)))
  await ask(wireModel('anthropic', wire.origin), history)
  const [, { content: asked }, { content: answered }] = wire.requests[1]?.body.messages ?? []
  expect(asked.at(-1).id).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
  expect(answered[0].tool_use_id).toBe(asked.at(-1).id)
})

test('a failed tool is told to the provider as failed', async () => {
  const wire = await serve([{ calls: [{ tool: 'launch', input: {} }] }, { text: 'Yes.' }])
  const model = wireModel('anthropic', wire.origin)
  await ask(model, continued(hello, await ask(model)))
  const { content } = wire.requests[1]?.body.messages[2] ?? {}
  expect(content).toMatchObject([{ type: 'tool_result', content: 'the result', is_error: true }])
})
