import { describe, expect, onTestFinished, test } from 'vitest'
import { limits } from '../../../src/domain/limits.ts'
import type { ScriptedTurn, Step } from '../../acp/agent-script.ts'
import { startWireServer } from '../../wire/wire-server.ts'
import { createMemoryAgentFixture } from '../../world/agents.ts'
import type { MemoryFixture } from '../../world/fixture.ts'
import type { Program } from '../../world/sandbox.ts'
import { criterion, scripted, submit, writeNew } from '../world/agent.ts'
import { resultOf } from '../world/fixture.ts'

let fixture: MemoryFixture

interface GuardCase {
  readonly turns: readonly ScriptedTurn[]
  readonly editor?: object
}

async function task({ turns, editor = {} }: GuardCase) {
  fixture = await createMemoryAgentFixture({ turns, fixture: { config: { editor }, programs: { note } } })
  return fixture.drydock(
    'task',
    '--json',
    '--editor-model',
    scripted,
    '--model',
    await fixture.replay({}),
    ...criterion,
    'say new',
  )
}

const times = (count: number, step: (i: number) => Step): readonly Step[] =>
  Array.from({ length: count }, (_, i) => step(i))
const hang = { hang: true } as const
const note: Program = ({ read, write }, [text]) => {
  write('notes.txt', `${read('notes.txt') ?? ''}${text}\n`)
  return 0
}

/** Does not report the file that it changes. */
const silent = (i: number) => ({ run: `note ${i}` })

describe('the turn of an agent is stopped in its middle', () => {
  test.each<{ what: string; cause: RegExp; editor?: object; turn: ScriptedTurn }>([
    {
      what: 'varied calls show nothing new, and the files stay as they are',
      cause: /its last \d+ turns made no progress: .*\([1-9]\d* of 400 turns used/,
      editor: { turns_without_progress: 4 },
      turn: { steps: [{ run: ': {n}; cat value.txt' }], repeats: true },
    },
    {
      what: 'two calls take turns',
      cause: /its last 12 calls were only 2 different ones/,
      turn: { steps: [{ run: 'cat value.txt' }, { run: 'true' }], repeats: true },
    },
    {
      what: 'it has made as many calls as an editor may',
      cause: /its turns were used up \(5 of 5 turns used\)/,
      editor: { coding_iterations: 5 },
      turn: { steps: [...times(5, silent), hang] },
    },
  ])('when $what', async ({ cause, turn, editor }) => {
    const stuck = await task({ turns: [turn], ...(editor && { editor }) })
    expect(resultOf(stuck), stuck.stdout + stuck.stderr).toMatchObject({ status: 'STUCK' })
    expect((await fixture.drydock('report')).stdout).toMatch(cause)
  })

  test('when it takes longer than a turn may', async () => {
    const { turnSec } = limits.agentTurn
    onTestFinished(() => void Object.assign(limits.agentTurn, { turnSec }))
    Object.assign(limits.agentTurn, { turnSec: 0 })
    const stuck = await task({ turns: [{ steps: [hang] }] })
    expect(resultOf(stuck), stuck.stdout + stuck.stderr).toMatchObject({ status: 'STUCK' })
    expect((await fixture.drydock('report')).stdout).toContain('one turn of its agent took longer than')
  })
})

test.each<{ what: string; patience: number; step: (i: number) => Step }>([
  { what: 'in another way each time', patience: 4, step: silent },
  { what: 'in two ways by turns', patience: 25, step: (i) => silent(i % 2) },
  { what: 'and does not say how', patience: 25, step: () => ({ unseen: 'note 1' }) },
])('an agent that changes files without a word of it, $what, is not stopped', async ({ step, patience }) => {
  const steps = [...times(40, step), { run: 'rm notes.txt' }, writeNew, submit()]
  const done = await task({ turns: [{ steps }], editor: { turns_without_progress: patience } })
  expect(resultOf(done), done.stdout + done.stderr).toMatchObject({ status: 'DONE' })
})

const ask = {
  model: '/v1/chat/completions',
  body: { model: 'crew', max_tokens: 10, messages: [{ role: 'user', content: 'Well?' }] },
}

async function withGateway({ turns, iterations }: { turns: readonly ScriptedTurn[]; iterations: number }) {
  const server = await startWireServer(() => ({ text: 'Think of it.', usage: { input: 20, output: 10 } }))
  onTestFinished(() => server.close())
  fixture = await createMemoryAgentFixture({
    turns,
    agent: { provider: 'wire', model: 'crew', env: { BASE_URL: 'http://127.0.0.1:8130' } },
    user: { providers: { wire: { kind: 'openai-compatible', baseURL: `${server.origin}/v1` } } },
    fixture: { config: { editor: { coding_iterations: iterations } } },
  })
  const model = await fixture.replay({})
  const args = ['task', '--json', '--editor-model', scripted, '--model', model, ...criterion, 'say new']
  return { args, server }
}

test.each<{ what: string; steps: readonly Step[]; status: string }>([
  {
    what: 'hands in with the last of its calls is done',
    steps: [ask, ask, { read: 'value.txt' }, writeNew, { tool: 'read_messages' }, submit()],
    status: 'DONE',
  },
  {
    what: 'asks its model once more is stopped before that call is sent',
    steps: [ask, ask, ask, hang],
    status: 'STUCK',
  },
])('an agent of two iterations that $what', async ({ steps, status }) => {
  const { args, server } = await withGateway({ turns: [{ steps }], iterations: 2 })
  const ended = await fixture.drydock(...args)
  expect(resultOf(ended), ended.stdout + ended.stderr).toMatchObject({ status })
  expect(server.requests).toHaveLength(2)
})
