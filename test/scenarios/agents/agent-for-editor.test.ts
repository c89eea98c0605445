import { expect, test } from 'vitest'
import { createMemoryAgentFixture } from '../../world/agents.ts'
import { startMemoryEditor } from '../../world/editor.ts'
import { scripted, submit, writeNew } from '../world/agent.ts'

test('an agent of another maker works for an editor, which sees what is observed of it', async () => {
  const fixture = await createMemoryAgentFixture({ turns: [{ steps: [{ say: 'I begin.' }, writeNew, submit()] }] })
  const editor = await startMemoryEditor(fixture, {
    options: { model: await fixture.replay({}), editorModel: scripted },
  })
  const { sessionId } = await editor.open(fixture.repo)
  expect(await editor.prompt(sessionId, 'say new')).toBe('end_turn')
  const thoughts = editor.of(sessionId, 'agent_thought_chunk')
  expect(JSON.stringify(thoughts)).toContain('I begin.')
  expect(editor.of(sessionId, 'tool_call')).toContainEqual(
    expect.objectContaining({
      kind: 'edit',
      title: expect.stringContaining('(observed)'),
      locations: [{ path: `${fixture.repo}/value.txt` }],
    }),
  )
  expect(editor.said(sessionId).at(-1)).toContain('**DONE.**')
})
