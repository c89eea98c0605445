import { expect, onTestFinished, test } from 'vitest'
import { madeSlots } from '../../src/app/views/outside/made-slots.ts'
import { follow } from '../../src/app/wait/follow.ts'
import type { Event } from '../../src/domain/event.ts'
import type { Story } from '../../src/domain/story/story.ts'
import type { Records } from '../../src/ports/store.ts'
import { greenStory, type Lanes, planned, type StoryInput } from '../scenarios/world/crew.ts'
import { createCrewFixture } from '../world/fixture.ts'

const slots = 4
const width = 6

/**
 * Three rows of six: each story depends on one or two of the previous row, and shares a file with
 * its neighbour.
 */
const dag: readonly Required<Omit<StoryInput, 'acceptance_criteria' | 'repository'>>[] = Array.from(
  { length: 3 * width },
  (_, i) => {
    const column = i % width
    const above = [i - width, ...(column % 3 === 0 ? [i - width + ((column + 1) % width) - column] : [])]
    return {
      id: `s${i}`,
      depends_on: i < width ? [] : [...new Set(above)].map((n) => `s${n}`),
      files_hint: [`shared-${Math.floor(i / width)}-${Math.floor(column / 2)}.txt`],
    }
  },
)

/** The holders of slots, read in the same commit that assigns them. */
function watchSlots() {
  let most = 0
  const problems: string[] = []
  return {
    async look(records: Records) {
      const stories = (await records.machines({ kind: 'story' })) as readonly Story[]
      const held = stories.flatMap(({ data }) => data.slot ?? [])
      most = Math.max(most, held.length)
      if (new Set(held).size !== held.length) problems.push(held.join(' '))
    },
    found: () => ({ most, problems }),
  }
}

test('18 stories in 4 slots are built in the order of their dependencies, and no two ever hold the same slot', async () => {
  const fixture = await createCrewFixture()
  onTestFinished(() => fixture.remove())
  const lanes = Object.assign({}, ...dag.map(({ id }) => greenStory(id))) as Lanes
  const model = await fixture.replay(lanes)
  const watched = watchSlots()
  const drydock = await fixture.open({ beforeCommit: watched.look })
  const run = 'dag-000000'
  const spec = { text: 'A grid', source: 'text' }
  const stories = dag.map(planned) as never
  const request = { kind: 'spec', spec, planOnly: false, reviewStories: false, stories } as const
  const models = { architect: model, editor: model, scout: model }
  await drydock.submit('start', { kind: 'start', run, request, target: null, configFile: null, models })
  const events: Event[] = []
  const { exitCode } = await follow(drydock, {
    runs: [run],
    after: 0,
    coders: slots,
    own: true,
    noWait: true,
    humanDelayMs: null,
    onEvent: (event) => void events.push(event),
    onNote: () => {},
    stop: new AbortController().signal,
  })
  expect(exitCode).toBe(0)
  expect(watched.found()).toEqual({ most: slots, problems: [] })
  expect(await madeSlots(drydock.workTrees)).toHaveLength(slots)

  const moved = (story: string, to: string) =>
    events.findIndex(({ type, story: of, data }) => type === 'state' && of === story && data.to === to)
  for (const { id, depends_on } of dag) {
    for (const before of depends_on) expect([id, moved(before, 'DONE') < moved(id, 'SETUP')]).toEqual([id, true])
  }
  // Three stories of the first row share no file: none of the other three starts before them.
  const order = dag.slice(0, width).toSorted((a, b) => moved(a.id, 'SETUP') - moved(b.id, 'SETUP'))
  expect(order.slice(0, 3).map(({ id }) => id)).toEqual(['s0', 's2', 's4'])
  expect(await fixture.git('rev-list', '--count', 'main..drydock/a-grid')).toBe(`${dag.length}`)
})
