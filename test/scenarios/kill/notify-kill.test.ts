import { expect, onTestFinished, test } from 'vitest'
import { createMemoryFixture } from '../../world/fixture.ts'
import { dies } from '../../world/kills.ts'
import { alwaysGreen, greenStory, reply, specLanes } from '../world/crew.ts'
import { storedSpec } from '../world/crew-conversation.ts'
import { withRecords } from '../world/crew-script.ts'
import { call } from '../world/fixture.ts'
import { configureUser, startHook } from '../world/hook.ts'

const look = (pattern: string) => call('list_files', { pattern })

test('a process that is killed between a question and its delivery leaves it to the next', async () => {
  const config = { architect: { scoping_soft_limit: 2, scoping_hard_limit: 3 } }
  const fixture = await createMemoryFixture({ steps: [alwaysGreen], config })
  onTestFinished(() => fixture.remove())
  const hook = await startHook()
  await configureUser(fixture, { notify: { webhook: hook.url } })
  const run = await storedSpec(fixture, {
    ...specLanes('one'),
    ...greenStory('one'),
    'architect/SCOPING': [look('*.txt'), look('*.md'), reply('A small repository.')],
  })
  const died = await dies(
    { fixture, run },
    {
      moment: 'after',
      when: async (records) => (await records.recentEvents({ run, types: ['escalation'], limit: 1 })).length > 0,
    },
  )
  expect(died).toBe(true)
  expect(hook.posts).toEqual([])
  const notifications = await withRecords(fixture, (records) => records.machines({ kind: 'notification' }))
  expect(notifications).toMatchObject([{ state: 'PENDING', data: { tries: 0 } }])
  expect((await fixture.drydock('resume', '--json', '--no-wait')).exitCode).toBe(6)
  expect(hook.posts).toMatchObject([{ key: `${run}/1`, notice: { id: `${run}/1`, message: '1' } }])
})
