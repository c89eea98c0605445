import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { agentWorld, outputs, prompted } from '../../acp/agent-world.ts'

describe('a turn of an agent', () => {
  test('works in the workspace, asks its model and uses the tools, and all of it is observed', async () => {
    const { session, workspace } = await agentWorld()
    const agent = await session({
      name: 'agent-of-others',
      turns: [
        {
          when: 'greeting',
          steps: [
            { think: 'What ' },
            { think: 'next?' },
            { plan: ['write it', 'run it'] },
            { write: 'src/hello.txt', text: 'helo\n' },
            { edit: 'src/hello.txt', from: 'helo', to: 'hello' },
            { run: 'cat src/hello.txt; pwd' },
            { tool: 'shout', input: { text: 'hey' } },
            { model: '/v1/messages', body: { ask: 1 } },
            { say: 'It is ' },
            { say: 'done.' },
          ],
        },
        { steps: [{ say: 'Again.' }], ends: 'refusal' },
      ],
    })
    expect(agent).toMatchObject({ isLoaded: false, version: 'agent-of-others 1.0.0', canLoad: false })
    const { end, updates } = await prompted(agent, 'Write a greeting.')
    expect(end).toEqual({ type: 'ended', reason: 'end_turn', text: 'It is done.' })
    expect(readFileSync(join(workspace, 'src/hello.txt'), 'utf8')).toBe('hello\n')
    expect(updates.slice(0, 2)).toEqual([
      { type: 'thought', text: 'What next?' },
      {
        type: 'plan',
        entries: [
          { text: 'write it', status: 'pending' },
          { text: 'run it', status: 'pending' },
        ],
      },
    ])
    expect(updates[3]).toEqual({
      type: 'tool',
      id: 'call-1',
      title: 'Write src/hello.txt',
      kind: 'edit',
      status: 'completed',
      paths: ['src/hello.txt'],
      input: '{"write":"src/hello.txt","text":"helo\\n"}',
      output: 'written',
    })
    expect(outputs({ updates })).toEqual([
      'completed: written',
      'completed: edited',
      'completed: hello\n/repo\n',
      'completed: HEY!',
      'completed: 200 POST /v1/messages {"ask":1}',
    ])
    expect(updates.at(-1)).toEqual({ type: 'said', text: 'It is done.' })
    expect((await prompted(agent, 'More.')).end).toEqual({ type: 'ended', reason: 'refusal', text: 'Again.' })
  })
})

describe('an earlier session', () => {
  const script = { loads: true, turns: [{ steps: [{ say: 'One.' }] }, { steps: [{ say: 'Two.' }] }] }

  test.each([
    ['cannot load it', { ...script, loads: false }, null],
    ['does not know it', script, 'session-of-nobody'],
  ])('is followed by a new one where the agent %s', async (_name, second, id) => {
    const { session } = await agentWorld()
    const before = await session(script)
    await before.close()
    const after = await session(second, { session: id ?? before.id })
    expect(after.isLoaded).toBe(false)
    expect(after.id).not.toBe(before.id)
    expect((await prompted(after, 'Go.')).end).toMatchObject({ type: 'ended', text: 'One.' })
  })
})
