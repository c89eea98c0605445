import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createModel } from '../../../src/adapters/models/create-model.ts'
import { ask, hello, wireModel } from '../../wire/wire-models.ts'

async function replayOf(content: unknown) {
  const folder = await mkdtemp(join(tmpdir(), 'replay-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'demo.json')
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  return createModel({ id: `replay:${file}`, env: {} })
}

const lane = 'editor/task/CODING'

test('the turn is found by lane and number, whatever was said before', async () => {
  const model = await replayOf({ version: 1, lanes: { [lane]: [{ text: 'one' }, { text: 'two' }], other: [] } })
  expect(await ask(model, hello, { turn: 1 })).toMatchObject({ stop: 'end', text: 'two' })
  expect(await ask(model, hello, { turn: 0 })).toMatchObject({ stop: 'end', text: 'one' })
})

test('facts take the place of their names, deep inside an input', async () => {
  const input = { path: '${run_id}/${sha}', list: [{ who: 'at ${coder_id}' }, 1, null, true], other: '${home} $${sha}' }
  const model = await replayOf({ version: 1, lanes: { [lane]: [{ calls: [{ tool: 'read_file', input }] }] } })
  const facts = { coder_id: 'coder-001', sha: 'abc', run_id: 'run_1' }
  expect(await ask(model, hello, { facts })).toMatchObject({
    calls: [{ input: { path: 'run_1/abc', list: [{ who: 'at coder-001' }, 1, null, true], other: '${home} $abc' } }],
  })
})

test('call ids are the same on every run and differ between turns', async () => {
  const turn = { calls: [{ tool: 'read_file', input: {} }] }
  const lanes = { [lane]: [turn, turn] }
  const [first, again] = [await replayOf({ version: 1, lanes }), await replayOf({ version: 1, lanes })]
  expect(await ask(first)).toEqual(await ask(again))
  expect(await ask(first, hello, { turn: 1 })).not.toEqual(await ask(again))
})

test('an error turn fails the way it says, by default in a way that can pass', async () => {
  const said = { kind: 'rate_limited', message: 'slow down', retryable: true, retryAfterMs: 20 }
  const model = await replayOf({ version: 1, lanes: { [lane]: [{ error: {} }, { error: said }] } })
  expect(await ask(model)).toEqual({
    stop: 'error',
    error: { kind: 'overloaded', message: 'scripted failure', retryable: true, retryAfterMs: null },
    usage: null,
  })
  expect(await ask(model, hello, { turn: 1 })).toEqual({ stop: 'error', error: said, usage: null })
})

test.each([
  ['editor/other/CODING', 0],
  [lane, 1],
  ['constructor', 0],
])('a missing turn names lane %s and turn %i, and the lanes there are', async (asked, turn) => {
  const model = await replayOf({ version: 1, lanes: { [lane]: [{ text: 'one' }], 'architect/SCOPING': [] } })
  const reply = await ask(model, hello, { lane: asked, turn })
  if (reply.stop !== 'error') throw new Error(`stopped with ${reply.stop}`)
  expect(reply.error).toMatchObject({ kind: 'replay_missing', retryable: false })
  for (const word of [asked, `turn ${turn}`, lane, 'architect/SCOPING']) expect(reply.error.message).toContain(word)
})

test('usage that is told in part is zero in the rest', async () => {
  const model = await replayOf({ version: 1, lanes: { [lane]: [{ text: 'one', usage: { input: 7 } }] } })
  expect(await ask(model)).toMatchObject({ usage: { input: 7, output: 0, cacheRead: 0, cacheWrite: 0 } })
})

test('replies of the person and the order of merges belong to the model’s script', async () => {
  const human = [
    { escalation: 2, reply: 'Use UTC.' },
    { escalation: 1, reply: 'Yes.' },
  ]
  const model = await replayOf({ version: 1, lanes: { [lane]: [{ text: 'one' }] }, human, merge_order: ['b', 'a'] })
  expect(model.script).toEqual({ human, mergeOrder: ['b', 'a'] })
  expect(await ask(model)).toMatchObject({ text: 'one' })
})

test('a file without them has an empty script, and a model that is not a recording has none', async () => {
  expect((await replayOf({ version: 1, lanes: {} })).script).toEqual({ human: [], mergeOrder: null })
  expect(wireModel('anthropic', 'http://127.0.0.1:9').script).toBeUndefined()
})

test.each([
  ['{ "version": 1,', 'JSON'],
  [{ version: 2, lanes: {} }, 'version'],
  [{ version: 1 }, 'lanes'],
  [{ version: 1, lanes: {}, extra: 1 }, 'extra'],
  [{ version: 1, lanes: { a: [{ text: 'x' }, { txt: 'y' }] } }, 'lanes.a.1'],
  [{ version: 1, lanes: { a: [{ calls: [{ tool: 'read_file' }] }] } }, 'lanes.a.0'],
  [{ version: 1, lanes: { a: [{ error: {}, text: 'both' }] } }, 'lanes.a.0'],
  [{ version: 1, lanes: {}, human: [{ escalation: 0, reply: 'Yes.' }] }, 'human.0.escalation'],
  [{ version: 1, lanes: {}, human: [{ escalation: 1, reply: ' ' }] }, 'human.0.reply'],
  [{ version: 1, lanes: {}, human: [1, 1].map((escalation) => ({ escalation, reply: 'Yes.' })) }, 'human: two replies'],
  [{ version: 1, lanes: {}, merge_order: 'a' }, 'merge_order'],
])('the malformed file %j is a bad model, named with its place', async (content, place) => {
  await expect(replayOf(content)).rejects.toMatchObject({ code: 'bad_model', message: expect.stringContaining(place) })
  await expect(replayOf(content)).rejects.toMatchObject({ message: expect.stringContaining('demo.json') })
})

test('a file that is not there is a bad model', () => {
  expect(() => createModel({ id: 'replay:no/such/file.json', env: {} })).toThrow('no/such/file.json')
})
