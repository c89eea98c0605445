import { describe, expect, test } from 'vitest'
import { agentWorld, alive, outputs, prompted } from '../../acp/agent-world.ts'
import { failingTurns, unusableAgents } from '../../acp/failure-suites.ts'

const unique = () => `${process.pid}${process.hrtime.bigint()}`

describe('an agent that cannot be used', () => {
  test('since it talks without ever being ready is ended in time', async () => {
    const { open } = await agentWorld({ bounds: { openSec: 2 } })
    expect(await open({ hangsOn: 'initialize', murmurs: true, turns: [] })).toEqual({
      ok: false,
      failure: { kind: 'silent', message: 'The agent scripted failed: it was not ready after 2 seconds' },
    })
  })

  unusableAgents([
    [
      'never answers at first',
      { hangsOn: 'initialize', turns: [] },
      { kind: 'silent', message: 'The agent scripted failed: it said nothing to initialize for 1 seconds' },
    ],
  ])
})

describe('a turn', () => {
  failingTurns([
    ['never ends', [{ hang: true }], { kind: 'silent', message: 'it said nothing to session/prompt for 1 seconds' }],
  ])

  test('goes on when some library prints, and when an update is of no known kind', async () => {
    const { turn } = await agentWorld()
    const { end, updates } = await turn([
      { raw: 'Loaded cached credentials.' },
      { update: { sessionUpdate: 'from_the_future', content: 1 } },
      { update: { sessionUpdate: 'plan', entries: 'none' } },
      { update: 'nothing' },
      { update: { sessionUpdate: 'tool_call', toolCallId: '1', kind: 'submit_change', status: 'completed' } },
      { say: '\u001b[31mred\u001b[0m \u0007and \u202eleft\r\n' },
    ])
    expect(end).toEqual({ type: 'ended', reason: 'end_turn', text: 'red and left' })
    const none = { title: '', paths: [], input: null, output: null }
    expect(updates).toEqual([
      { type: 'tool', id: '1', kind: 'other', status: 'completed', ...none },
      { type: 'said', text: 'red and left' },
    ])
  })

  test('gets every permission, and neither files nor terminals of the host', async () => {
    const { turn } = await agentWorld()
    const told = await turn([
      {
        ask: [
          { id: 'no', kind: 'reject_once' },
          { id: 'always', kind: 'allow_always' },
          { id: 'yes', kind: 'allow_once' },
        ],
      },
      { ask: [{ id: 'no', kind: 'reject_once' }] },
      { client: 'fs/read_text_file', params: { path: '/etc/passwd' } },
      { client: 'terminal/create', params: { command: 'id' } },
      {
        client: 'elicitation/create',
        params: { mode: 'form', message: 'Which?', requestedSchema: { type: 'object', properties: {} } },
      },
      { client: 'something/else' },
    ])
    expect(outputs(told)).toEqual([
      'completed: {"outcome":{"outcome":"selected","optionId":"yes"}}',
      'completed: {"outcome":{"outcome":"selected","optionId":"no"}}',
      expect.stringContaining('failed: "Method not found": fs/read_text_file'),
      expect.stringContaining('failed: "Method not found": terminal/create'),
      'completed: {"action":"decline"}',
      expect.stringContaining('failed: "Method not found": something/else'),
    ])
    expect(told.updates.filter(({ type }) => type === 'permission' || type === 'refused')).toEqual([
      { type: 'permission', title: 'May I?', answer: 'allow_once' },
      { type: 'permission', title: 'May I?', answer: 'reject_once' },
      { type: 'refused', method: 'fs/read_text_file' },
      { type: 'refused', method: 'terminal/create' },
      { type: 'refused', method: 'elicitation/create' },
      { type: 'refused', method: 'something/else' },
    ])
  })
})

describe('a turn that is cancelled', () => {
  test.each([
    ['ends when the agent says so, whose session goes on', false],
    ['ends with the agent when that goes on', true],
  ])('%s', async (_name, ignoresCancel) => {
    const mark = unique()
    const { session } = await agentWorld({ bounds: ignoresCancel ? { cancelSec: 1 } : {} })
    const agent = await session({
      ignoresCancel,
      turns: [
        { steps: [{ leave: `exec sleep ${mark}` }, { say: 'Well' }, { plan: [] }, { hang: true }] },
        { steps: [{ say: 'Back.' }] },
      ],
    })
    const stopping = new AbortController()
    const cancel = (update: { readonly type: string }) => {
      if (update.type === 'plan') stopping.abort(new Error('paused'))
    }
    expect(await agent.prompt('Go.', cancel, stopping.signal)).toEqual({
      type: 'ended',
      reason: 'cancelled',
      text: 'Well',
    })
    const { end } = await prompted(agent, 'More.')
    if (ignoresCancel) {
      expect(end).toMatchObject({ type: 'failed', failure: { kind: 'silent' } })
      expect(alive(`sleep ${mark}`)).toEqual([])
    } else expect(end).toMatchObject({ type: 'ended', text: 'Back.' })
  })

  test('before it begins asks nothing', async () => {
    const { session } = await agentWorld()
    const agent = await session({ turns: [{ steps: [{ say: 'Back.' }] }] })
    const { end } = await prompted(agent, 'Go.', AbortSignal.abort(new Error('paused')))
    expect(end).toEqual({ type: 'ended', reason: 'cancelled', text: '' })
    expect((await prompted(agent, 'Go.')).end).toMatchObject({ text: 'Back.' })
  })
})
