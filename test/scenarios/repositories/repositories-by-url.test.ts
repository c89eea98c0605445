import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { conversationOf } from '../world/conversation.ts'
import { planned, reply } from '../world/crew.ts'
import { writeScript } from '../world/crew-script.ts'
import { call } from '../world/fixture.ts'
import { createSeveral, writeSpec } from '../world/several.ts'

test('an empty repository behind a URL is refused, and no half of a clone stays; with a commit it is cloned', async () => {
  const { fixture, client } = await createSeveral()
  onTestFinished(() => fixture.remove())
  const path = join(fixture.folder, 'remotes', 'empty.git')
  await client.git('init', '-q', '--bare', path)
  const [spec, model] = [await writeSpec(fixture, `repositories:\n  - file://${path}`), await fixture.replay({})]
  for (const _ of [1, 2]) {
    const run = await fixture.drydock('run', spec, '--model', model, '--no-wait')
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringMatching(/empty\.git.* has no commits/s)])
  }
  await client.git('push', '-q', path, 'HEAD:refs/heads/trunk')
  await client.git('-C', path, 'symbolic-ref', 'HEAD', 'refs/heads/trunk')
  const stories = [planned({ id: 'client', repository: 'empty' })]
  const lanes = {
    'architect/SCOPING': [call('list_files', { pattern: '/repositories/empty/*' }), reply('A small repository.')],
    'architect/STORY_GENERATION': [call('submit_stories', { stories })],
  }
  const script = await writeScript(fixture, { lanes })
  const done = await fixture.drydock('plan', spec, '--model', script, '--json', '--no-wait')
  expect(done.exitCode, done.stderr).toBe(0)
  expect(await conversationOf(fixture, done).results('architect/SCOPING')).toMatchObject([
    { output: expect.stringContaining('/repositories/empty/value.txt') },
  ])
})
