import fc from 'fast-check'
import { expect } from 'vitest'
import { readReply } from '../../../src/adapters/models/answers/read-reply.ts'
import { anthropicMessages } from '../../../src/adapters/models/gateway/formats/anthropic-messages.ts'
import type { Format } from '../../../src/adapters/models/gateway/formats/format.ts'
import { googleGenerate } from '../../../src/adapters/models/gateway/formats/google-generate.ts'
import { openaiChat } from '../../../src/adapters/models/gateway/formats/openai-chat.ts'
import { openaiResponses } from '../../../src/adapters/models/gateway/formats/openai-responses.ts'
import { oddityOf } from '../../../src/adapters/models/gateway/json-oddity.ts'
import { createSecretFilter } from '../../../src/adapters/models/gateway/without-secrets.ts'
import { type JsonObject, parsedJson } from '../../../src/domain/json.ts'
import { trustedUsage } from '../../../src/domain/lane/trusted-usage.ts'
import { limits } from '../../../src/domain/limits.ts'
import { damaged, mangled, nasty } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

const formats: readonly Format[] = [openaiChat, openaiResponses, anthropicMessages, googleGenerate]
const secret = 'aab-aab-aab-0123456789'

const counts = { input_tokens: 7, output_tokens: 5, prompt_tokens: 7, completion_tokens: 5, promptTokenCount: 7 }
const parts = [
  { choices: [{ delta: { content: 'Yes.' }, finish_reason: 'stop' }], usage: counts },
  { type: 'response.completed', response: { object: 'response', status: 'completed', output: [], usage: counts } },
  { type: 'message_start', message: { usage: counts } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: counts },
  { candidates: [{ content: { parts: [{ text: 'Yes.' }] }, finishReason: 'STOP' }], usageMetadata: counts },
  { error: { message: 'no' } },
]
const part = fc.oneof(...parts.map((each) => damaged(fc.constant(each)))).map((each) => JSON.stringify(each) ?? 'null')
const event = fc
  .tuple(part, fc.constantFrom('\n', '\r\n'))
  .map(([data, end]) => `event: e${end}data: ${data}${end}${end}`)
const pieces = fc.oneof(event, part, nasty, fc.constantFrom(secret, secret.slice(0, 9), secret.slice(4)))

interface Input {
  readonly text: string
  /** The places of chunk boundaries, in bytes. */
  readonly cuts: readonly number[]
}

const inputs: fc.Arbitrary<Input> = fc.record({
  text: mangled(fc.array(pieces, { maxLength: 5 }).map((all) => all.join(''))).map((text) => text.toWellFormed()),
  cuts: fc.array(fc.nat(400), { maxLength: 8 }),
})

/** The traffic of the gateway: answers in any chunks, and requests. */
export const gateway: FuzzTarget<Input> = {
  name: 'gateway',
  async open() {
    return { inputs, check }
  },
}

function check({ text, cuts }: Input): void {
  const bytes = Buffer.from(text)
  const chunks = cutAt(bytes, cuts)
  const filtered = passed(chunks)
  expect(filtered).not.toContain(secret)
  expect(filtered).toBe(passed([bytes]))
  if (!text.includes(secret)) expect(filtered).toBe(text)
  for (const format of formats) {
    const told = read(format, chunks)
    expect(told).toEqual(read(format, [bytes]))
    const usage = told.usage && trustedUsage(told.usage)
    if (usage !== null) expect(usage.input + usage.output).toBeLessThanOrEqual(limits.mostUsageTokens)
  }
  const json = parsedJson(text)
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) checkRequest(text, json as JsonObject)
}

function checkRequest(text: string, json: JsonObject): void {
  // After writing again each key occurs once.
  const again = JSON.stringify(json)
  expect(oddityOf(again, 500)).toBe(null)
  const names = Object.keys(json)
  if (names.length > 0) expect(oddityOf(`{${again.slice(1, -1)},${JSON.stringify(names[0])}:1}`, 500)).toBe('key_twice')
  expect([null, 'key_twice']).toContain(oddityOf(text, 500))
  for (const format of formats) {
    const { outputTokens } = format.asked(json)
    expect(outputTokens === null || outputTokens > 0).toBe(true)
  }
}

function passed(chunks: readonly Buffer[]): string {
  const filter = createSecretFilter([secret])
  return Buffer.concat([...chunks.map((chunk) => filter.take(chunk)), filter.rest()]).toString()
}

function read(format: Format, chunks: readonly Buffer[]) {
  const reader = format.read()
  const along = readReply((part) => reader.take(part))
  for (const chunk of chunks) along.take(chunk)
  along.end()
  return { ...reader.told(), said: reader.said() }
}

function cutAt(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length]
  return places.slice(1).map((to, index) => bytes.subarray(places[index], to))
}
