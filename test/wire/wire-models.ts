import { createModel } from '../../src/adapters/models/create-model.ts'
import type { Timeouts } from '../../src/adapters/models/exchange.ts'
import type { Message } from '../../src/domain/lane/message.ts'
import type { Model, ModelReply, ModelRequest } from '../../src/ports/model.ts'
import type { Dialect } from './turn.ts'

/** The key of every provider in tests; no output and no request to a model may contain it. */
export const wireKey = 'sk-wire-canary-0123456789'

/** Settings that make each kind of provider use a wire server. */
export function wireSettings(origin: string) {
  return {
    env: {
      ANTHROPIC_API_KEY: wireKey,
      OPENAI_API_KEY: wireKey,
      GOOGLE_GENERATIVE_AI_API_KEY: wireKey,
      WIRE_API_KEY: wireKey,
      ANTHROPIC_BASE_URL: origin,
      OPENAI_BASE_URL: `${origin}/v1`,
      GOOGLE_GENERATIVE_AI_BASE_URL: `${origin}/v1beta`,
    },
    providers: {
      wire: { kind: 'openai-compatible', baseURL: `${origin}/v1`, apiKeyEnv: 'WIRE_API_KEY' },
      // With a key, like behind a proxy; otherwise its tests could not show that no key leaks.
      ollama: { kind: 'ollama', baseURL: origin, apiKeyEnv: 'WIRE_API_KEY' },
    },
  } as const
}

/** A model of each format; all of them reason, so that their reasoning is requested. */
export const wireIds: Readonly<Record<Dialect['name'], string>> = {
  anthropic: 'anthropic:claude-sonnet-4-5',
  openai: 'openai:gpt-5',
  'openai-compatible': 'wire:local',
  google: 'google:gemini-3-pro',
  ollama: 'ollama:qwen3',
}

export const dialectNames = Object.keys(wireIds) as Dialect['name'][]

export function wireModel(name: Dialect['name'], origin: string, timeouts: Partial<Timeouts> = {}): Model {
  return createModel({ id: wireIds[name], ...wireSettings(origin), timeouts })
}

const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }

export function requestOf(messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    run: 'run-1',
    lane: 'editor/task/CODING',
    turn: messages.filter(({ role }) => role === 'assistant').length,
    system: 'You build one story.',
    messages,
    tools: [
      { name: 'read_file', description: 'Reads a file.', inputSchema: path },
      { name: 'delete_file', description: 'Deletes a file.', inputSchema: path },
    ],
    maxOutputTokens: 1_000,
    facts: {},
    ...more,
  }
}

export const hello: readonly Message[] = [{ role: 'user', text: 'Go on.' }]

export function ask(model: Model, messages = hello, more: Partial<ModelRequest> = {}): Promise<ModelReply> {
  return model.reply(requestOf(messages, more), new AbortController().signal)
}

/** The conversation after a reply, with an answer to each of its calls. */
export function continued(messages: readonly Message[], reply: ModelReply): Message[] {
  if (reply.stop === 'error') throw new Error(`a failed reply has no place in a history: ${reply.error.message}`)
  const { text, calls, raw } = reply
  const results = calls.map(({ id, tool, invalid }) => ({ callId: id, tool, output: 'the result', ok: !invalid }))
  const next: Message = results.length > 0 ? { role: 'tool', results } : { role: 'user', text: 'And now?' }
  return [...messages, { role: 'assistant', text, calls, ...(raw && { raw }) }, next]
}
