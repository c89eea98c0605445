import { expect, onTestFinished, test } from 'vitest'
import type { Dialect, WireTurn } from '../../wire/turn.ts'
import { ask, wireModel } from '../../wire/wire-models.ts'
import { startWireServer } from '../../wire/wire-server.ts'

const reading = { tool: 'read_file', input: { path: 'a.ts' } }

/**
 * The expected stop of a reply with text, and of one with a call, for each stop reason of a
 * provider.
 */
const words: readonly (readonly [provider: Dialect['name'], word: string, text: string, call: string])[] = [
  ['anthropic', 'end_turn', 'end', 'calls'],
  ['anthropic', 'tool_use', 'end', 'calls'],
  ['anthropic', 'stop_sequence', 'end', 'calls'],
  ['anthropic', 'pause_turn', 'end', 'calls'],
  ['anthropic', 'max_tokens', 'length', 'length'],
  ['anthropic', 'refusal', 'refused', 'refused'],
  ['anthropic', 'model_context_window_exceeded', 'context_overflow', 'context_overflow'],
  ['openai-compatible', 'stop', 'end', 'calls'],
  ['openai-compatible', 'tool_calls', 'end', 'calls'],
  ['openai-compatible', 'function_call', 'end', 'calls'],
  ['openai-compatible', 'length', 'length', 'length'],
  ['openai-compatible', 'content_filter', 'refused', 'refused'],
  ['openai-compatible', 'something_new', 'end', 'interrupted'],
  ['google', 'STOP', 'end', 'calls'],
  ['google', 'MAX_TOKENS', 'length', 'length'],
  ['google', 'SAFETY', 'refused', 'refused'],
  ['google', 'RECITATION', 'refused', 'refused'],
  ['google', 'BLOCKLIST', 'refused', 'refused'],
  ['google', 'PROHIBITED_CONTENT', 'refused', 'refused'],
  ['google', 'SPII', 'refused', 'refused'],
  ['google', 'MALFORMED_FUNCTION_CALL', 'end', 'end'],
  ['google', 'OTHER', 'end', 'interrupted'],
  ['ollama', 'stop', 'end', 'calls'],
  ['ollama', 'length', 'length', 'length'],
  ['ollama', 'load', 'end', 'calls'],
]

async function stopOf(provider: Dialect['name'], turn: WireTurn): Promise<string> {
  const wire = await startWireServer([turn])
  onTestFinished(() => wire.close())
  const reply = await ask(wireModel(provider, wire.origin))
  return reply.stop === 'error' ? reply.error.kind : reply.stop
}

test.each(words)('%s that stops with %s', async (provider, rawStop, text, call) => {
  expect([
    await stopOf(provider, { text: 'I look.', rawStop }),
    await stopOf(provider, { text: 'I look.', calls: [reading], rawStop }),
  ]).toEqual([text, call])
})

test.each([
  ['max_output_tokens', 'length'],
  ['content_filter', 'refused'],
  ['something_new', 'interrupted'],
])('openai that is incomplete for %s', async (rawStop, expected) => {
  expect(await stopOf('openai', { text: 'I look.', calls: [reading], stop: 'length', rawStop })).toBe(expected)
})

test('an empty answer is not a reply', async () => {
  for (const provider of ['anthropic', 'openai', 'openai-compatible', 'google', 'ollama'] as const) {
    expect([provider, await stopOf(provider, {})]).toEqual([provider, 'end'])
  }
})
