import { expect, onTestFinished, test } from 'vitest'
import type { HeldLine, Hold } from '../../src/api/held.ts'
import type { RunList } from '../../src/api/runs.ts'
import { createHeldCommands } from '../../src/app/operations/held-commands.ts'
import { DrydockError } from '../../src/domain/drydock-error.ts'
import { limits } from '../../src/domain/limits.ts'
import { greenLanes, resultOf } from '../scenarios/world/fixture.ts'
import { createMemoryClock } from '../world/clock.ts'
import { servedOf } from './memory-served.ts'
import { createMemoryWorld } from './memory-server.ts'

const { heldMs } = limits.dashboard

/** Commands that only record their calls. */
function told() {
  const given: string[] = []
  const give = (name: string) => async () => void given.push(name)
  return { given, who: (name: string) => ({ by: 'ada', give: give(name) }) }
}

test('a command is given once its seconds are over, and can be taken back until then', async () => {
  const clock = createMemoryClock()
  const held = createHeldCommands({ clock })
  const { given, who } = told()
  const first = held.hold({ give: 'cancel', run: 'a' }, who('a'))
  const second = held.hold({ give: 'reply', message: '7', text: 'skip' }, who('reply 7'))
  expect(held.list()).toEqual([first, second])
  expect(first).toMatchObject({ text: 'Cancel a', by: 'ada', run: 'a', problem: null })
  await clock.advance(heldMs - 1)
  expect(given).toEqual([])
  held.undo(first.id)
  await clock.advance(1)
  await expect.poll(() => given).toEqual(['reply 7'])
  expect(held.list()).toEqual([])
  for (const { id } of [first, second]) expect(() => held.undo(id)).toThrow(/cannot be taken back/)
})

test('one that is refused by then says why for a while', async () => {
  const clock = createMemoryClock()
  const held = createHeldCommands({ clock })
  const give = () => Promise.reject(new DrydockError('not_found', 'There is no run "gone".', { todo: 'Start one.' }))
  const { id } = held.hold({ give: 'cancel', run: 'gone' }, { by: null, give })
  await clock.advance(heldMs)
  await expect.poll(() => held.list()).toMatchObject([{ id, problem: { code: 'not_found' } }])
  await clock.advance(limits.dashboard.refusedMs)
  await expect.poll(() => held.list()).toEqual([])
})

test('a server gives its held commands when it ends, and undone ones stay undone', async () => {
  const clock = createMemoryClock()
  const held = createHeldCommands({ clock })
  const { given, who } = told()
  held.undo(held.hold({ give: 'cancel', run: 'a' }, who('a')).id)
  held.hold({ give: 'cancel', run: 'b' }, who('cancel b'))
  await held.close()
  expect(given).toEqual(['cancel b'])
})

test('the list of runs shows what is held to everybody, and the server lets it be taken back', async () => {
  const world = await createMemoryWorld()
  onTestFinished(() => world.close())
  const model = await world.fixture.replay(greenLanes)
  const { run } = resultOf(await world.fixture.drydock('task', 'Say new', '--model', model, '--json'))
  const { page } = await servedOf(world)
  const land: Hold = { give: 'land', run: String(run), land: { goal: 'onto', branch: 'main' } }
  const { status, body } = await page.post('/api/held', land)
  expect(status).toBe(202)
  const { id } = body as HeldLine
  expect((await page.get<RunList>('/api/runs')).held).toMatchObject([{ id, text: 'Merge into main', run }])
  expect((await page.post(`/api/held/${id}/undo`, {})).status).toBe(200)
  expect((await page.get<RunList>('/api/runs')).held).toEqual([])
  expect((await page.post(`/api/held/${id}/undo`, {})).body).toMatchObject({ code: 'already_done' })
})
