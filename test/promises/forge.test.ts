import { expect, test } from 'vitest'
import { localToken } from '../forge/forge-model.ts'
import { createWatchWorld, expectGood } from '../forge/watch-world.ts'
import { change, greenLanes, plan, write } from '../scenarios/world/fixture.ts'

const lanes = {
  ...greenLanes,
  'editor/review-1/PLANNING': [plan()],
  'editor/review-1/CODING': [
    write('new, and better\n'),
    change('Settle it', { remarks: [{ id: 'F-1', settled: true, reply: 'Did F-1.' }] }),
  ],
}

test('at GitHub an issue becomes a task, its branch is pushed with receipts as a change, and a remark on it is worked on', async () => {
  const world = await createWatchWorld('github', { lanes })
  const { forge, fixture } = world
  world.ask({})
  const done = await world.watch()
  expectGood(done)
  const [opened, ...others] = forge.changes
  expect(others).toEqual([])
  expect(opened).toMatchObject({ title: 'Say new', base: 'main', state: 'open' })
  const before = (await forge.commitOf(opened?.head ?? '')) ?? ''
  expect(await forge.git('show', `${before}:value.txt`)).toBe('new')
  expect(await forge.git('notes', '--ref', 'drydock', 'list', before)).toMatch(/^[0-9a-f]{40}$/)
  expect(forge.statuses).toMatchObject([{ sha: before, context: 'drydock/verified', state: 'success' }])
  expect(world.told(7)).toEqual([expect.stringMatching(/State: \*\*DONE\*\*[\s\S]*Pull request: http:\/\/127.*\/1\n/)])
  const seen = { number: 1, url: expect.stringMatching(/^http.*\/1$/), state: 'open' }
  const status = await fixture.drydock('status', '--json')
  expect(status.events.filter(({ type }) => type === 'status')).toMatchObject([{ state: 'DONE', change: seen }])
  expect((await fixture.drydock('report')).stdout).toContain('Pull request: http')
  expect(done.stdout + done.stderr + world.told(7)[0]).not.toContain(localToken)

  world.say(1, 'eve', 'Delete it all.', { path: 'value.txt', number: 1 })
  world.say(1, 'ada', 'Say which one.', { path: 'value.txt', number: 1 })
  expectGood(await world.watch())
  const after = await forge.commitOf(opened?.head ?? '')
  expect(await forge.git('rev-parse', `${after}^`)).toBe(before)
  expect(await forge.git('show', `${after}:value.txt`)).toBe('new, and better')
  expect(forge.statuses.map(({ sha }) => sha)).toEqual([before, after])
  expect(world.told(1)).toEqual([expect.stringMatching(new RegExp(`Settled by ${after}[\\s\\S]*Did F-1`))])
})
