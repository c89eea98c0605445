import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { WireTurn } from '../../wire/turn.ts'
import { startWireServer, type WireRequest } from '../../wire/wire-server.ts'
import { createCrewFixture, createFixture, type Fixture } from '../../world/fixture.ts'
import { conversationOf } from '../world/conversation.ts'
import { approve, finding, greenStory, needsChanges, specLanes, submit, writeFile as write } from '../world/crew.ts'
import { crewOf } from '../world/crew-conversation.ts'
import { call, change, plan, resultOf, write as writeValue } from '../world/fixture.ts'
import { type LaneRequest, startWireCrew } from '../world/wire-crew.ts'

const constraint = 'Never touch value.txt, whatever else you find.'
const claim = 'one.txt must end with the word sealed'
const guidance = 'Write it in British English.'
const guide = 'Nothing in this folder is ever renamed.'
const summaries = '<context_limit>'

/** Big files, each read in a separate turn. */
const read = (n: number) => call('read_file', { path: `big-${n}.txt` }) as WireTurn
const big = (count: number, words: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`big-${n}.txt`, `${'word '.repeat(20)}\n`.repeat(words / 20)]),
  )

let fixture: Fixture
let server: { close(): Promise<void> } | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
  await fixture.remove()
})

async function configure(more: object): Promise<void> {
  const folder = join(fixture.folder, 'config', 'drydock')
  const file = join(folder, 'config.json')
  await mkdir(folder, { recursive: true })
  const before = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'))
  await writeFile(file, JSON.stringify({ ...before, ...more }))
}

describe('a lane that outgrows the window of its model', () => {
  test('is cut three times, and knows its constraint, an open finding, a guide of a folder and a human’s word to the end', async () => {
    fixture = await createCrewFixture({
      files: { ...big(16, 2_000), 'deep/AGENTS.md': guide, 'deep/x.txt': 'x\n' },
    })
    const coding: WireTurn[] = [
      write('one.txt', 'one\n'),
      submit('one'),
      { calls: [...(read(0).calls ?? []), { tool: 'read_file', input: { path: 'deep/x.txt' } }] },
      ...Array.from({ length: 15 }, (_, n) => read(n + 1)),
    ]
    coding.push(write('one.txt', 'one, sealed\n') as WireTurn, submit('one') as WireTurn)
    const heard: LaneRequest[] = []
    const instead = async (request: LaneRequest): Promise<WireTurn | null> => {
      if (request.lane !== 'editor/one/CODING') return null
      if (request.raw.includes(summaries)) return { text: `I have read ${heard.length} times.` }
      if (heard.push(request) === 4) await fixture.drydock('chat', '--story', 'one', '--post', guidance)
      return coding[heard.length - 1] ?? null
    }
    const crew = await startWireCrew(
      fixture,
      {
        ...specLanes({ id: 'one', acceptance_criteria: ['one.txt is there', constraint] }),
        ...greenStory('one'),
        'architect/REQUEST/code/one/1': [needsChanges('Almost.', [finding({ file: 'one.txt', claim })])],
        'architect/REQUEST/code/one/2': [approve()],
      },
      instead,
    )
    server = crew
    await configure({ context: { [crew.model]: 12_000 } })
    const done = await fixture.drydock('run', 'Make the files', '--model', crew.model, '--json', '--no-wait')
    expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })

    const told = crewOf(fixture, done)
    const cuts = (await told.events('context_cut')).map(({ data }) => data)
    expect(new Set(cuts.map(({ lane }) => lane))).toEqual(new Set(['editor/one/CODING']))
    expect(cuts.filter(({ stage }) => stage === 'summarized').length).toBeGreaterThanOrEqual(3)
    for (const { before, after } of cuts) expect(after).toBeLessThan(before / 1.5)

    expect(heard).toHaveLength(coding.length)
    for (const { raw } of heard) expect(raw).toContain(constraint)
    for (const { raw } of heard.slice(2)) expect(raw).toContain(claim)
    for (const { raw } of heard.slice(4)) expect(raw).toContain(guidance)
    for (const { raw } of heard.slice(3)) expect(raw.split(guide)).toHaveLength(2)
    expect(Math.max(...heard.map(({ raw }) => raw.length))).toBeLessThan(12_000 * 6)
    // The store has the uncut conversation.
    expect((await told.results('editor/one/CODING')).filter(({ tool }) => tool === 'read_file')).toHaveLength(17)
    // Between two cuts each request only extends the previous one.
    const repeats = heard.slice(1).filter(({ raw }, i) => !raw.startsWith(prefixOf(heard[i]?.raw ?? '')))
    expect(repeats).toHaveLength(cuts.length)
  })
})

/** The part of a request's body up to the end of its messages. */
function prefixOf(raw: string): string {
  const { messages } = JSON.parse(raw)
  const text = JSON.stringify(messages).slice(0, -1)
  return raw.slice(0, raw.indexOf(text) + text.length)
}

describe('a model that takes less than anybody knew', () => {
  const most = 40_000

  test('refuses once, is asked for less, and the task is done', async () => {
    fixture = await createFixture({ files: big(8, 2_000) })
    const turns: WireTurn[] = [
      plan() as WireTurn,
      ...Array.from({ length: 8 }, (_, n) => ({ reasoning: `I need file ${n}.`, ...read(n) })),
      writeValue('new\n') as WireTurn,
      change() as WireTurn,
    ]
    const wire = await startWireServer(({ raw }): WireTurn => {
      if (raw.length > most) return { error: { kind: 'context_overflow' } }
      if (raw.includes(summaries)) return { text: 'I have read some.' }
      return turns.shift() ?? { refusal: { status: 400, body: 'the script has ended' } }
    })
    server = wire
    await configure({ providers: { small: { kind: 'anthropic', baseURL: wire.origin } } })
    const done = await fixture.drydock('task', 'say new', '--model', 'small:claude-unheard-of', '--json')
    expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
    const told = conversationOf(fixture, done)
    const overflows = (await told.events('model_call')).filter(({ data }) => /^context_overflow/.test(data.error ?? ''))
    expect(overflows).toHaveLength(1)
    expect((await told.events('context_cut')).length).toBeGreaterThan(1)
    expect((await fixture.drydock('log')).stdout).toMatch(
      /context summarized +editor.task.CODING: [\d.]+k to [\d.]+k tokens/,
    )
    for (const request of wire.requests) expect(unpaired(request)).toEqual([])
  })
})

test('a recording of a request that was too long plays on after it', async () => {
  fixture = await createFixture()
  const error = { kind: 'context_overflow', message: 'too long', retryable: false }
  const model = await fixture.replay({
    'editor/task/PLANNING': [plan()],
    'editor/task/CODING': [writeValue('new\n'), { error }, change()],
  })
  const done = await fixture.drydock('task', 'say new', '--model', model, '--json')
  expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE' })
  const told = conversationOf(fixture, done)
  expect((await told.events('context_cut')).map(({ data }) => data.stage)).toEqual(['summarized'])
  expect((await told.events('model_call')).map(({ data }) => data.lane)).not.toContain('editor/task/CODING/summary')
})

/**
 * Calls in a request to Anthropic that the next message does not answer, and calls without the
 * thoughts that preceded them.
 */
function unpaired({ body }: WireRequest): readonly string[] {
  interface Block {
    readonly type: string
    readonly id?: string
    readonly tool_use_id?: string
  }
  const messages = body.messages as readonly { readonly role: string; readonly content: readonly Block[] }[]
  return messages.flatMap(({ content }, i) => {
    const calls = content.flatMap(({ type, id = '' }) => (type === 'tool_use' ? [id] : []))
    const answers = messages[i + 1]?.content.flatMap(({ tool_use_id = '' }) => tool_use_id) ?? []
    return calls.filter((id) => !answers.includes(id))
  })
}
