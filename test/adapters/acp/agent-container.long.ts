import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agentWorld, outputs } from '../../acp/agent-world.ts'
import { inPodman } from '../../contracts/sandboxes.ts'

test('an agent in a container works as in bubblewrap', async () => {
  const { turn, workspace } = await agentWorld({ sandbox: inPodman.create() })
  const told = await turn([
    { write: 'new.txt', text: 'new' },
    { tool: 'shout', input: { text: 'hey' } },
    { model: '/v1/messages', body: 1 },
    { connect: '192.0.2.1:80' },
    { write: '/home/agent/notes', text: 'its own' },
  ])
  expect(outputs(told)).toEqual([
    'completed: written',
    'completed: HEY!',
    'completed: 200 POST /v1/messages 1',
    expect.stringMatching(/^failed: .*ENETUNREACH/),
    'completed: written',
  ])
  expect(existsSync(join(workspace, 'new.txt'))).toBe(true)
})
