import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agentWorld, alive, prompted } from '../../acp/agent-world.ts'
import { failingTurns, unusableAgents } from '../../acp/failure-suites.ts'

const unique = () => `${process.pid}${process.hrtime.bigint()}`

describe('an agent that cannot be used', () => {
  unusableAgents([
    [
      'speaks another version',
      { protocolVersion: 2, turns: [] },
      {
        kind: 'unfit',
        message: 'The agent scripted failed: it speaks version 2 of the protocol; Drydock speaks version 1',
      },
    ],
    [
      'asks for a login',
      { authentication: 'api-key', turns: [] },
      { kind: 'unfit', message: 'The agent scripted failed: it asks for a login before session/new: api-key' },
    ],
    [
      'never opens a session',
      { hangsOn: 'session/new', turns: [] },
      { kind: 'silent', message: 'The agent scripted failed: it said nothing to session/new for 1 seconds' },
    ],
    [
      'refuses a session',
      { failsOn: 'session/new', turns: [] },
      {
        kind: 'refused',
        message:
          'The agent scripted failed: it answered session/new with an error: Internal error: the script fails on session/new',
      },
    ],
  ])

  test('since its program or a file of its credentials is not there is named', async () => {
    const { open, folder } = await agentWorld()
    const script = { turns: [] }
    expect(await open(script, { command: ['no-such-agent'] })).toMatchObject({
      failure: { kind: 'missing', message: 'The agent scripted failed: no-such-agent is not on PATH' },
    })
    const credentials = [{ path: join(folder, 'no-such-file'), at: '.agent/auth.json' }]
    expect(await open(script, { credentials })).toMatchObject({
      failure: { kind: 'missing', message: expect.stringContaining('no-such-file, which its credentials name') },
    })
    expect(await open(script, { command: ['/no/such/agent'] })).toMatchObject({
      failure: { kind: 'missing', message: 'The agent scripted failed: there is no program /no/such/agent' },
    })
  })

  test('since it ends at once is named with its last words', async () => {
    const { open } = await agentWorld()
    const command = ['/bin/sh', '-c', 'printf "\\033[31mno settings\\033[0m\\n" >&2; exit 3']
    expect(await open({ turns: [] }, { command })).toEqual({
      ok: false,
      failure: {
        kind: 'died',
        message: 'The agent scripted failed: it ended with exit code 3. Its last words: no settings',
      },
    })
  })

  test('in a sandbox that does not start is a failure of the sandbox', async () => {
    const { open, folder } = await agentWorld()
    expect(await open({ turns: [] }, { gateway: join(folder, 'no.sock') })).toMatchObject({
      failure: { kind: 'sandbox', message: expect.stringContaining('no.sock') },
    })
  })
})

describe('a turn', () => {
  failingTurns([
    ['floods', [{ flood: 500 }], { kind: 'flooded', message: 'it sent more than 200 messages in one turn' }],
    [
      'breaks off a message',
      [{ raw: '{"jsonrpc":"2.0","method":"sess' }],
      { kind: 'malformed', message: 'it wrote what is not the protocol: {"jsonrpc":"2.0","method":"sess' },
    ],
    [
      'ends with the process',
      [{ complain: 'out of cheese' }, { die: 4 }],
      { kind: 'died', message: 'it ended with exit code 4. Its last words: out of cheese' },
    ],
    [
      'has a line too long',
      [{ longLine: 200_000 }],
      { kind: 'flooded', message: 'one of its messages has more than 100000 bytes' },
    ],
    [
      'writes too much',
      [...Array(6)].map(() => ({ longLine: 60_000 })),
      { kind: 'flooded', message: 'it wrote more than 300000 bytes in one turn' },
    ],
    [
      'answers what it was not asked',
      [{ raw: '{"jsonrpc":"2.0","id":"\\u001b[2Jx","result":{}}' }],
      {
        kind: 'malformed',
        message: 'it answered what it was not asked: {"jsonrpc":"2.0","id":"\\u001b[2Jx","result":{}}',
      },
    ],
    [
      'prints as if it were a terminal',
      [...Array(12)].map(() => ({ raw: 'Loading …' })),
      { kind: 'malformed', message: 'it writes what is no message: Loading …' },
    ],
  ])

  test('that is answered with an error failed, and the session continues', async () => {
    const { session } = await agentWorld()
    const agent = await session({ failsOn: 'session/prompt', turns: [] })
    const failed = {
      type: 'failed',
      failure: { kind: 'refused', message: expect.stringContaining('the script fails') },
    }
    expect((await prompted(agent, 'Go.')).end).toEqual(failed)
    expect((await prompted(agent, 'Go.')).end).toEqual(failed)
  })
})

describe('opening that is given up', () => {
  test('throws the reason, and nothing is alive', async () => {
    const { starting, agents, home } = await agentWorld()
    const stopping = new AbortController()
    const reason = new Error('stopped')
    const opening = agents.open(starting({ hangsOn: 'session/new', name: unique(), turns: [] }), stopping.signal)
    await expect.poll(() => existsSync(join(home, '.scripted-agent')), { interval: 20 }).toBe(true)
    stopping.abort(reason)
    await expect(opening).rejects.toBe(reason)
    expect(alive(`node ${home}`)).toEqual([])
  })
})
