import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createModel } from '../../src/adapters/models/create-model.ts'
import type { Model } from '../../src/ports/model.ts'
import type { WireTurn } from '../wire/turn.ts'
import { ask, continued, dialectNames, hello, requestOf, wireIds, wireModel } from '../wire/wire-models.ts'
import { startWireServer } from '../wire/wire-server.ts'

interface Subject {
  readonly name: string
  /** A model that gives these replies, one after another. */
  readonly playing: (turns: readonly WireTurn[]) => Promise<Model>
}

const overWire: Subject[] = dialectNames.map((name) => ({
  name: wireIds[name],
  async playing(turns) {
    const wire = await startWireServer(turns)
    onTestFinished(() => wire.close())
    return wireModel(name, wire.origin)
  },
}))

const replay: Subject = {
  name: 'replay',
  async playing(turns) {
    const folder = await mkdtemp(join(tmpdir(), 'replay-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'replay.json')
    await writeFile(file, JSON.stringify({ version: 1, lanes: { 'editor/task/CODING': turns } }))
    return createModel({ id: `replay:${file}`, env: {} })
  },
}

const reading = { tool: 'read_file', input: { path: 'a.ts' } }
const deleting = { tool: 'delete_file', input: { path: 'b.ts' } }
const usage = { input: 100, output: 20, cacheRead: 60, cacheWrite: 0 }

describe.each([...overWire, replay])('$name', ({ playing }) => {
  test('a reply of text ends the turn', async () => {
    const model = await playing([{ text: 'All is done.', usage }])
    const reply = await ask(model)
    const counted = { ...usage, ...(model.id.startsWith('ollama:') && { cacheRead: 0 }) }
    expect(reply).toEqual({
      stop: 'end',
      text: 'All is done.',
      calls: [],
      raw: expect.toSatisfy(isRaw),
      usage: counted,
    })
  })

  test('calls in parallel come in order, each with an id of its own', async () => {
    const model = await playing([{ text: 'I look.', calls: [reading, deleting, reading] }])
    const reply = await ask(model)
    const id = expect.stringMatching(/./)
    const calls = [reading, deleting, reading].map((call) => ({ id, ...call }))
    expect(reply).toMatchObject({ stop: 'calls', text: 'I look.', calls })
    expect(new Set(idsOf(reply)).size).toBe(3)
  })

  test('a reply to a continued conversation has call ids that are new to it', async () => {
    const model = await playing([{ calls: [reading, reading] }, { calls: [reading] }])
    const first = await ask(model)
    const second = await ask(model, continued(hello, first))
    expect(new Set([...idsOf(first), ...idsOf(second)]).size).toBe(3)
  })

  test('usage that nobody reported is null', async () => {
    const model = await playing([{ calls: [reading] }])
    expect(await ask(model)).toMatchObject({ stop: 'calls', usage: null })
  })

  test('an unknown tool is an invalid call with its input', async () => {
    const model = await playing([{ calls: [{ tool: 'launch', input: { at: 'dawn' } }, reading] }])
    const reply = await ask(model)
    const input = model.id.startsWith('replay:') ? '{"at":"dawn"}' : { at: 'dawn' }
    expect(reply).toMatchObject({
      stop: 'calls',
      calls: [{ tool: 'launch', input, invalid: expect.stringContaining('launch') }, reading],
    })
    expect(reply).not.toHaveProperty('calls.1.invalid')
  })

  test('a failed call is a reply that says whether and when to try again', async () => {
    const model = await playing([{ error: { kind: 'overloaded', message: 'too busy', retryAfterMs: 1_500 } }])
    expect(await ask(model)).toEqual({
      stop: 'error',
      error: {
        kind: 'overloaded',
        message: expect.stringContaining('too busy'),
        retryable: true,
        retryAfterMs: 1_500,
        ...(!model.id.startsWith('replay:') && { free: true }),
      },
      usage: null,
    })
  })

  test('a call that was aborted beforehand is interrupted', async () => {
    const model = await playing([{ text: 'never asked for' }])
    const reply = await model.reply(requestOf(hello), AbortSignal.abort())
    expect(reply).toEqual({
      stop: 'error',
      error: { kind: 'interrupted', message: 'The call was aborted.', retryable: true, retryAfterMs: null },
      usage: null,
    })
  })

  test('a reply is plain JSON', async () => {
    const model = await playing([{ text: 'I look.', calls: [reading], usage }])
    const reply = await ask(model)
    expect(JSON.parse(JSON.stringify(reply))).toEqual(reply)
  })
})

function isRaw(raw: unknown): boolean {
  return raw === null || (typeof raw === 'object' && 'provider' in raw && 'content' in raw)
}

function idsOf(reply: Awaited<ReturnType<typeof ask>>): string[] {
  return reply.stop === 'error' ? [] : reply.calls.map(({ id }) => id)
}
