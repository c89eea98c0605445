import { methods } from '@agentclientprotocol/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { startMemoryEditor } from '../../world/editor.ts'
import { createMemoryFixture, type MemoryFixture } from '../../world/fixture.ts'
import { alwaysGreen, greenStory, specLanes } from '../world/crew.ts'

async function fixtureOf(options: Parameters<typeof createMemoryFixture>[0] = {}): Promise<MemoryFixture> {
  const fixture = await createMemoryFixture(options)
  onTestFinished(() => fixture.remove())
  return fixture
}

const crewFixture = () => fixtureOf({ steps: [alwaysGreen] })

test('a question that is answered elsewhere is withdrawn, whether or not its editor ever answers', async () => {
  const fixture = await crewFixture()
  const asked = Promise.withResolvers<void>()
  const withdrawn = Promise.withResolvers<void>()
  const editor = await startMemoryEditor(fixture, {
    options: { model: await fixture.replay({ ...specLanes('one'), ...greenStory('one') }) },
    permit: (_, signal) => {
      asked.resolve()
      signal.addEventListener('abort', () => withdrawn.resolve())
      return new Promise(() => {})
    },
  })
  const { sessionId } = await editor.open(fixture.repo)
  await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'run' })
  const ended = editor.prompt(sessionId, 'Make the files')
  await asked.promise
  const { events } = await fixture.drydock('chat', '--json')
  const question = events.find(({ open }) => open === true)
  await fixture.drydock('reply', String(question?.id), 'approve')
  await withdrawn.promise
  expect(await ended).toBe('end_turn')
  expect(editor.said(sessionId).at(-1)).toContain('one: DONE')
})
