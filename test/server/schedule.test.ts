import { expect, onTestFinished, test } from 'vitest'
import type { Schedule } from '../../src/api/schedule.ts'
import type { StoryDays } from '../../src/app/views/schedule/crew-days.ts'
import { partsOf } from '../../src/app/views/schedule/story-spans.ts'
import { alwaysGreen, build, greenStory, specLanes } from '../scenarios/world/crew.ts'
import { servedOf } from './memory-served.ts'
import { createMemoryWorld } from './memory-server.ts'

test('a story that waited for the workspace of another one is behind it on the critical path', async () => {
  const world = await createMemoryWorld({ steps: [alwaysGreen], config: { orchestrator: { max_coders: 1 } } })
  const lanes = { ...specLanes('one', 'two'), ...greenStory('one'), ...greenStory('two') }
  const built = await build(world.fixture, lanes)
  const served = await servedOf(world)
  onTestFinished(() => served.close())
  const schedule = await served.page.get<Schedule>(`/api/runs/${built.events[0]?.run}/schedule`)
  expect(schedule.critical_path).toEqual([
    { story: 'one', after: 'start', why: 'It could start at once.' },
    { story: 'two', after: 'workspace', why: 'It waited for a workspace until one left its own.' },
  ])
})

test('a story that was paused twice says each time who has paused it', () => {
  const at = (minute: number) => `2026-01-01T00:0${minute}:00.000Z`
  const mark = (minute: number, reason: 'user' | 'budget') => ({
    type: 'paused',
    id: minute,
    run: 'run',
    story: 'one',
    at: at(minute),
    data: reason === 'user' ? { reason, person: 'Ada' } : { reason, cap: 'run_usd', limit: 1, spent: 1 },
  })
  const stay = (minute: number, state: 'CODING' | 'PAUSED') => ({
    state,
    event: null,
    from: at(minute),
    to: at(minute + 1),
  })
  const story = {
    story: 'one',
    title: 'Make one',
    state: 'CODING',
    depends_on: [],
    startedAt: at(0),
    endedAt: null,
    stays: [stay(0, 'CODING'), stay(1, 'PAUSED'), stay(2, 'CODING'), stay(3, 'PAUSED')],
    marks: [mark(1, 'user'), mark(3, 'budget')],
  } as unknown as StoryDays
  const parts = partsOf(story, { from: at(0), to: at(4), run: [], stories: [story] })
  expect(parts.map(({ phase, why }) => [phase, why])).toEqual([
    ['coding', 'The editor codes.'],
    ['paused', 'It was paused by Ada.'],
    ['coding', 'The editor codes.'],
    ['paused', 'Its next call needs more than budget.run_usd allows.'],
  ])
})
