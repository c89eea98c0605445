import { expect, onTestFinished, test } from 'vitest'
import { survivors } from '../scenarios/kill/kill.ts'
import { createAgentFixture, criterion, scripted, submit, writeNew } from '../scenarios/world/agent.ts'
import { resultOf } from '../scenarios/world/fixture.ts'
import { launch } from '../scenarios/world/process.ts'

test('a foreign agent in its sandbox does a task over ACP with tools of Drydock, and nothing of it lives on after a cancel', async () => {
  const fixture = await createAgentFixture({
    turns: [
      { when: 'leave', steps: [{ leave: 'sleep 1000' }, { run: 'true' }, { hang: true }] },
      { when: 'FAIL (run_', steps: [{ read: 'value.txt' }, writeNew, submit()] },
      { steps: [{ say: 'I begin.' }, { tools: true }, { write: 'value.txt', text: 'wrong\n' }, submit('Not yet')] },
    ],
  })
  onTestFinished(() => fixture.remove())
  const model = await fixture.replay({})
  const args = ['task', '--json', '--editor-model', scripted, '--model', model, ...criterion]
  const done = await fixture.drydock(...args, 'say new')
  expect(resultOf(done), done.stdout + done.stderr).toMatchObject({ status: 'DONE' })
  expect(await fixture.git('show', 'drydock/say-new:value.txt')).toBe('new')
  const states = done.events.filter(({ type }) => type === 'state').map(({ to }) => to)
  expect(states).toEqual(['SETUP', 'CODING', 'VERIFYING', 'CODING', 'VERIFYING', 'DONE'])
  const sessions = done.events.filter(({ type }) => type === 'agent_session')
  expect(sessions.map(({ loaded }) => loaded)).toEqual([false, true])
  expect(new Set(sessions.map(({ session }) => session)).size).toBe(1)
  expect((await fixture.drydock('log', '--verbose')).stdout).toContain('"submit_change"')
  const receipt = (await fixture.drydock('receipt', 'show', 'drydock/say-new')).stdout
  expect(receipt).toMatch(/^Built: by the agent scripted \(.*\), which could read ~\/\.scripted-login$/m)

  const running = launch([...args, 'leave', '--no-ui', '--repo', fixture.repo], { env: fixture.env })
  await running.line(/"type":"tool".*"observed"/)
  await fixture.drydock('cancel')
  expect(resultOf(await running.ended)).toMatchObject({ status: 'CANCELLED' })
  expect(survivors({ fixture, run: '' })).toEqual([])
})
