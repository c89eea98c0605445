import { expect, onTestFinished, test } from 'vitest'
import { type Comparison, comparisonSchema } from '../../src/api/comparison.ts'
import { servedOf } from './memory-served.ts'
import { createMemoryWorld } from './memory-server.ts'

test('two runs were asked for with the same words when all of a spec or of a task is the same, and not its title alone', async () => {
  const world = await createMemoryWorld()
  onTestFinished(() => world.close())
  const served = await servedOf(world, { model: await world.fixture.replay({}) })
  // The owner applies commands, but no slot works.
  await world.own(0)
  const { page } = served
  const start = async (path: string, asked: object) => {
    const { status, body } = await page.post(path, asked)
    expect([status, body.handed], JSON.stringify(body)).toEqual([202, 'applied'])
    return String(body.run)
  }
  const spec = (text: string, more: object = {}) =>
    start('/api/runs', { spec: `# Say new\n\n${text}\n`, again: true, ...more })
  const task = (more: object = {}) => start('/api/tasks', { task: 'Say new', ...more })
  const isSame = async (a: string, b: string) => {
    const comparison = await page.get<Comparison>(`/api/comparison?a=${a}&b=${b}`)
    expect(comparisonSchema.parse(comparison)).toEqual(comparison)
    return comparison.same_request
  }
  const [aSpec, aTask] = [await spec('In value.txt.'), await task()]
  expect(await isSame(aSpec, await spec('In value.txt.', { source: 'spec.md' }))).toBe(true)
  expect(await isSame(aSpec, await spec('In value.txt, and in other.txt.'))).toBe(false)
  expect(await isSame(aSpec, await spec('In value.txt.', { plan_only: true }))).toBe(false)
  expect(await isSame(aTask, await task())).toBe(true)
  expect(await isSame(aTask, await task({ constraints: ['No new file.'] }))).toBe(false)
  expect(await isSame(aTask, await task({ non_goals: ['Say old.'] }))).toBe(false)
  expect(await isSame(aTask, await task({ files: ['value.txt'] }))).toBe(false)
  expect(await isSame(aSpec, aTask)).toBe(false)
})
