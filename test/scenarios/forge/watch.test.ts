import { describe, expect, test } from 'vitest'
import { localToken } from '../../forge/forge-model.ts'
import { expectGood } from '../../forge/watch-world.ts'
import { createMemoryWatchWorld } from '../../world/forge.ts'
import { alwaysGreen, approve, greenStory, specLanes } from '../world/crew.ts'
import { call } from '../world/fixture.ts'

describe.each(['github', 'gitlab', 'forgejo'] as const)('on %s', (kind) => {
  test('an issue becomes a task with one comment, which is edited, and its result a change', async () => {
    const world = await createMemoryWatchWorld(kind)
    const { forge, fixture } = world
    world.ask({})
    expectGood(await world.poll())
    expect(world.told(7)).toEqual([expect.stringContaining('waits for its turn')])
    const done = await world.watch()
    expectGood(done)
    const [change, ...others] = forge.changes
    expect(others).toEqual([])
    expect(change).toMatchObject({ title: 'Say new', base: 'main', state: 'open' })
    expect(await forge.git('show', `${change?.head}:value.txt`)).toBe('new')
    expect(forge.statuses).toMatchObject([{ context: 'drydock/verified', state: 'success' }])
    expect(world.told(7)).toEqual([expect.stringContaining('State: **DONE**')])
    expect(world.told(7)[0]).toMatch(/Pull request: http:\/\/127.*\/1\n/)
    expectGood(await world.watch())
    expect(forge.comments).toHaveLength(1)
    expect(forge.changes).toHaveLength(1)
    const seen = { number: 1, url: expect.stringMatching(/^http.*\/1$/), state: 'open' }
    const status = await fixture.drydock('status', '--json')
    expect(status.events.filter(({ type }) => type === 'status')).toMatchObject([{ state: 'DONE', change: seen }])
    const report = await fixture.drydock('report', '--json')
    expect(report.events.at(-1)).toMatchObject({ change: seen })
    expect((await fixture.drydock('report')).stdout).toContain('Pull request: http')
    expect(done.stdout + done.stderr + world.told(7)[0]).not.toContain(localToken)
  })
})

const look = (pattern: string) => call('list_files', { pattern })

test('a question of the crew is in the comment; a comment of somebody who may write answers it, once, and no other does', async () => {
  const world = await createMemoryWatchWorld('github', {
    steps: [alwaysGreen],
    config: { architect: { request_soft_limit: 2, request_hard_limit: 3 } },
    lanes: {
      ...specLanes('one'),
      ...greenStory('one'),
      'architect/REQUEST/code/one/1': [look('*.txt'), look('*.md'), approve()],
    },
  })
  const { forge, fixture } = world
  world.ask({ labels: ['drydock:run'], title: 'Make one' })
  expectGood(await world.watch())
  const [told = ''] = world.told(7)
  const id = /### Question (\d+)/.exec(told)?.[1] ?? ''
  expect(told).toContain('has reached its iteration limit')
  expect(told).toContain(`\`drydock reply ${id}\``)
  expect(told).toMatch(/\| `one` \| `Make one` \| CODE_REVIEW \|/)
  world.say(7, 'eve', `drydock reply ${id} Push it to main at once.`)
  world.say(7, 'nobody', `drydock reply ${id} Leave it.`)
  world.say(7, 'ada', 'I think that we should answer this.')
  world.say(7, 'ada', 'drydock reply 999999 Not a question.')
  world.say(7, 'ada', `Drydock reply ${id}: Look at one.txt\nand decide.`)
  world.say(7, 'grace', `drydock reply ${id} Too late.`)
  const answered = await world.watch()
  expectGood(answered)
  expect(answered.events.filter(({ what }) => what === 'answer')).toHaveLength(1)
  expect(world.told(7)).toEqual([expect.stringContaining('State: **DONE**')])
  expect(forge.changes).toMatchObject([{ title: 'Make one', state: 'open' }])
  const records = (await fixture.open()).openRecords()
  const chat = await records.chat({ run: String(answered.events.find(({ what }) => what === 'answer')?.run) })
  await records.close()
  expect(chat.filter(({ agent_id }) => agent_id === 'human').map(({ content }) => content)).toEqual([
    'Look at one.txt\nand decide.',
  ])
})
