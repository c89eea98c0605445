import { expect, onTestFinished, test } from 'vitest'
import type { ScheduleList } from '../../src/api/schedules.ts'
import { greenLanes } from '../scenarios/world/fixture.ts'
import { servedOf } from './memory-served.ts'
import { createMemoryWorld } from './memory-server.ts'

test('the page of schedules tells when each starts, and pauses, resumes and removes one', async () => {
  const world = await createMemoryWorld()
  onTestFinished(() => world.close())
  const { fixture } = world
  const model = await fixture.replay(greenLanes)
  const { page } = await servedOf(world)
  const list = async () => (await page.get<ScheduleList>('/api/schedules')).schedules
  expect(await list()).toEqual([])
  const added = await fixture.drydock(
    'schedule',
    'add',
    '@daily',
    '--task',
    'Say new',
    '--model',
    model,
    '--timezone',
    'UTC',
  )
  expect(added.exitCode, added.stderr).toBe(0)
  const [schedule] = await list()
  expect(schedule).toMatchObject({
    state: 'ACTIVE',
    cron: '@daily',
    timezone: 'UTC',
    kind: 'task',
    about: 'Say new',
    work: { kind: 'task', text: 'Say new' },
    last: null,
  })
  expect(schedule?.next).toMatch(/T00:00:00/)
  const change = async (to: string) =>
    (await page.post(`/api/schedules/${schedule?.name}/change`, { change: to })).status
  expect(await change('paused')).toBe(202)
  expect(await list()).toMatchObject([{ state: 'PAUSED', paused_by: null, next: null }])
  expect(await change('paused')).toBe(409)
  expect(await change('resumed')).toBe(202)
  expect(await list()).toMatchObject([{ state: 'ACTIVE', next: schedule?.next }])
  expect(await change('removed')).toBe(202)
  expect(await list()).toEqual([])
})
