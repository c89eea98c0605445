import { afterEach, expect, onTestFinished, test } from 'vitest'
import type { ScriptedTurn } from '../../acp/agent-script.ts'
import { startWireServer } from '../../wire/wire-server.ts'
import { createAgentFixture, criterion, scripted } from '../world/agent.ts'
import { type Fixture, resultOf } from '../world/fixture.ts'
import { launch } from '../world/process.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const hang = { hang: true } as const

const ask = {
  model: '/v1/chat/completions',
  body: { model: 'crew', max_tokens: 10, messages: [{ role: 'user', content: 'Well?' }] },
}

async function withGateway({ turns, iterations }: { turns: readonly ScriptedTurn[]; iterations: number }) {
  const server = await startWireServer(() => ({ text: 'Think of it.', usage: { input: 20, output: 10 } }))
  onTestFinished(() => server.close())
  fixture = await createAgentFixture({
    turns,
    agent: { provider: 'wire', model: 'crew', env: { BASE_URL: 'http://127.0.0.1:8130' } },
    user: { providers: { wire: { kind: 'openai-compatible', baseURL: `${server.origin}/v1` } } },
    fixture: { config: { editor: { coding_iterations: iterations } } },
  })
  const model = await fixture.replay({})
  const args = ['task', '--json', '--editor-model', scripted, '--model', model, ...criterion, 'say new']
  return { args, server }
}

test('calls of a turn that its process did not survive count as often as they were made', async () => {
  const turns = [{ when: 'You were interrupted', steps: [ask, ask, hang] }, { steps: [ask, ask, hang] }]
  const { args, server } = await withGateway({ turns, iterations: 3 })
  const running = launch([...args, '--no-ui', '--repo', fixture.repo], { env: fixture.env })
  await running.line(/"type":"model_call".*"turn":1/)
  running.child.kill('SIGKILL')
  await running.ended
  const stuck = await fixture.drydock('resume', '--json')
  expect(resultOf(stuck), stuck.stdout + stuck.stderr).toMatchObject({ status: 'STUCK' })
  expect(server.requests).toHaveLength(3)
})
