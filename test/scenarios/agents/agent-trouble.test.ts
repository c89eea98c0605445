import { describe, expect, onTestFinished, test } from 'vitest'
import { limits } from '../../../src/domain/limits.ts'
import type { AgentScript, ScriptedTurn } from '../../acp/agent-script.ts'
import { startWireServer } from '../../wire/wire-server.ts'
import { createMemoryAgentFixture } from '../../world/agents.ts'
import type { MemoryFixture } from '../../world/fixture.ts'
import { criterion, scripted, submit, writeNew } from '../world/agent.ts'
import { withRecords } from '../world/crew-script.ts'
import { type CommandResult, resultOf } from '../world/fixture.ts'

let fixture: MemoryFixture

const args = async () => [
  'task',
  '--json',
  '--editor-model',
  scripted,
  '--model',
  await fixture.replay({}),
  ...criterion,
  'say new',
]
const task = async () => fixture.drydock(...(await args()))
const often = (turn: ScriptedTurn): readonly ScriptedTurn[] => Array.from({ length: 10 }, () => turn)
const eventsOf = (result: CommandResult, type: string) => result.events.filter((event) => event.type === type)

describe('an agent that fails ends its story with why', () => {
  test.each<{ what: string; turns: readonly ScriptedTurn[]; kind: string; says: RegExp }>([
    {
      what: 'dies',
      turns: often({ steps: [{ complain: 'out of luck' }, { die: 3 }] }),
      kind: 'died',
      says: /out of luck/,
    },
    {
      what: 'is no agent',
      turns: often({ steps: [{ raw: '{"jsonrpc":"2.0","id":' }, { longLine: 20_000_000 }] }),
      kind: 'malformed',
      says: /./,
    },
  ])('when it $what in every turn', async ({ turns, kind, says }) => {
    fixture = await createMemoryAgentFixture({ turns })
    const ended = await task()
    expect(resultOf(ended), ended.stdout + ended.stderr).toMatchObject({ status: 'INFRA_ERROR' })
    expect(eventsOf(ended, 'agent_failed').map((event) => [event.kind, event.tries])).toEqual(
      [1, 2, 3].map((n) => [kind, n]),
    )
    const stop = await withRecords(fixture, async (records) => {
      const story = await records.machineOf('story', `${resultOf(ended).run}/task`)
      return story?.data.stop
    })
    expect(stop).toMatchObject({ infra: { errorType: 'agent_failed', errorMessage: expect.stringMatching(says) } })
  })

  test.each<{ what: string; script: Omit<AgentScript, 'turns'> }>([
    { what: 'speaks another version of the protocol', script: { protocolVersion: 99 } },
  ])('and its run with how to go on when it $what', async ({ script }) => {
    fixture = await createMemoryAgentFixture({ script, turns: [] })
    const ended = await task()
    expect(resultOf(ended)).toMatchObject({ status: 'ERROR', error: { code: 'agent_unusable' } })
  })

  test('but not when only one turn of it fails', async () => {
    fixture = await createMemoryAgentFixture({
      turns: [
        { steps: [{ write: 'value.txt', text: 'half' }, { die: 1 }] },
        { when: 'You were interrupted', steps: [writeNew, submit()] },
      ],
    })
    const ended = await task()
    expect(resultOf(ended), ended.stdout).toMatchObject({ status: 'DONE' })
    expect(eventsOf(ended, 'agent_failed')).toHaveLength(1)
  })
})

test('an agent that does the same again and again is stopped in the middle of its turn', async () => {
  const same = { run: 'cat value.txt' }
  fixture = await createMemoryAgentFixture({ turns: [{ steps: [same, same, same, same, same, { hang: true }] }] })
  const ended = await task()
  expect(resultOf(ended), ended.stdout).toMatchObject({ status: 'STUCK' })
  expect(ended.stderr + JSON.stringify(resultOf(ended))).toContain(
    'the same call with the same result five times in a row',
  )
})

test('an agent that calls the tools of Drydock without end, unseen, is stopped in the middle of its turn', async () => {
  fixture = await createMemoryAgentFixture({ turns: [{ steps: [{ unseenPosts: 201 }, writeNew, submit()] }] })
  const ended = await task()
  expect(resultOf(ended), ended.stdout).toMatchObject({ status: 'STUCK' })
  expect(JSON.stringify(resultOf(ended))).toContain('more than 200 times')
})

test('a pause ends the running turn, and the session continues from there', async () => {
  fixture = await createMemoryAgentFixture({
    turns: [
      { steps: [{ say: 'I begin.' }, { run: 'echo there > there.txt' }, { hang: true }] },
      { when: 'A person paused', steps: [writeNew, { run: 'rm there.txt' }, submit()] },
    ],
  })
  const running = fixture.launch([...(await args()), '--no-ui'])
  await running.line(/"type":"tool".*"observed"/)
  await fixture.drydock('pause')
  await running.line(/"to":"PAUSED"/)
  const done = await fixture.drydock('resume', '--json')
  expect(resultOf(done), done.stdout + done.stderr).toMatchObject({ status: 'DONE' })
})

test('a used-up budget pauses the agent, and once it is raised its session continues', async () => {
  const server = await startWireServer(() => ({ text: 'Think of it.', usage: { input: 20_000, output: 1_000 } }))
  const ask = {
    model: '/v1/chat/completions',
    body: {
      model: 'crew',
      max_tokens: 1_000,
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'Well?' }],
    },
  }
  fixture = await createMemoryAgentFixture({
    turns: [
      { steps: [ask, { write: 'value.txt', text: 'half\n' }, ask, { hang: true }] },
      { when: 'The budget was used up', steps: [ask, writeNew, submit()] },
    ],
    agent: { provider: 'wire', model: 'crew', env: { BASE_URL: 'http://127.0.0.1:8130' } },
    user: {
      providers: { wire: { kind: 'openai-compatible', baseURL: `${server.origin}/v1` } },
      prices: { 'wire:crew': { input: 1, output: 1 } },
      budget: { run_usd: 0.021_5 },
    },
  })
  const paused = await task()
  expect(resultOf(paused), paused.stdout + paused.stderr).toMatchObject({ status: 'PAUSED', cost_usd: 0.021 })
  await fixture.drydock('budget', '--raise', '1')
  const done = await fixture.drydock('resume', '--json')
  expect(resultOf(done), done.stdout + done.stderr).toMatchObject({ status: 'DONE', cost_usd: 0.042 })
  expect(server.requests).toHaveLength(2)
  await server.close()
})

describe('an agent that ignores a cancel', () => {
  const seconds = (change: object) => {
    const before = { ...limits.agents }
    onTestFinished(() => void Object.assign(limits.agents, before))
    Object.assign(limits.agents, change)
  }
  const kept = async () => {
    const restored = await fixture.drydock('restore', 'task', '--json')
    return fixture.git('show', `${restored.events.at(-1)?.branch}:value.txt`)
  }

  test('and never answers is ended at its bound, and what it wrote is kept', async () => {
    seconds({ idleSec: 0.2, cancelSec: 0.2 })
    fixture = await createMemoryAgentFixture({
      script: { ignoresCancel: true, ignoresEnd: true },
      turns: often({ steps: [{ write: 'value.txt', text: 'half\n' }, { hang: true }] }),
    })
    const ended = await task()
    expect(resultOf(ended), ended.stdout + ended.stderr).toMatchObject({ status: 'INFRA_ERROR' })
    expect(await kept()).toBe('half')
  })

  test('and continues without progress is ended with it, and its edits are kept', async () => {
    seconds({ cancelSec: 0.2 })
    const same = { run: 'cat value.txt' }
    fixture = await createMemoryAgentFixture({
      script: { ignoresCancel: true, ignoresEnd: true },
      turns: [{ steps: [{ write: 'value.txt', text: 'half\n' }, same, same, same, same, same, { hang: true }] }],
    })
    const ended = await task()
    expect(resultOf(ended), ended.stdout + ended.stderr).toMatchObject({ status: 'STUCK' })
    expect(await kept()).toBe('half')
  })

  test('and is never ready is ended when a person pauses', async () => {
    fixture = await createMemoryAgentFixture({ script: { ignoresCancel: true, hangsOn: 'initialize' }, turns: [] })
    const running = fixture.launch([...(await args()), '--no-ui'])
    await running.line(/"to":"CODING"/)
    await fixture.drydock('pause')
    expect(JSON.parse(await running.line(/"to":"PAUSED"/))).toMatchObject({ from: 'CODING' })
  })
})

test('a cancel ends the running turn', async () => {
  fixture = await createMemoryAgentFixture({ turns: [{ steps: [{ run: 'true' }, { hang: true }] }] })
  const running = fixture.launch([...(await args()), '--no-ui'])
  await running.line(/"type":"tool".*"observed"/)
  await fixture.drydock('cancel')
  expect(resultOf(await running.ended)).toMatchObject({ status: 'CANCELLED' })
})

test.each([
  { what: 'refuses the key', refusal: { status: 401, body: 'bad key' }, todo: /apiKeyEnv/ },
  { what: 'is not there', refusal: { status: 404, body: '<html>Not Found</html>' }, todo: /^Correct the base URL/ },
])('a provider of an agent that $what stops its run at once, as for a model of our own', async ({ refusal, todo }) => {
  const server = await startWireServer(() => ({ refusal }))
  onTestFinished(() => server.close())
  const body = { model: 'crew', max_tokens: 10, messages: [{ role: 'user', content: 'Well?' }] }
  fixture = await createMemoryAgentFixture({
    turns: often({ steps: [{ model: '/v1/chat/completions', body }, { say: 'I cannot.' }] }),
    agent: { provider: 'wire', model: 'crew', env: { BASE_URL: 'http://127.0.0.1:8130' } },
    user: { providers: { wire: { kind: 'openai-compatible', baseURL: `${server.origin}/v1` } } },
  })
  const ended = await task()
  expect(resultOf(ended), ended.stdout).toMatchObject({
    status: 'ERROR',
    error: { todo: expect.stringMatching(todo) },
  })
  expect(server.requests).toHaveLength(1)
})
