import { afterEach, expect, test } from 'vitest'
import type { Figures } from '../../../src/api/figures.ts'
import { serveHere } from '../../server/served.ts'
import type { WireTurn } from '../../wire/turn.ts'
import { alwaysGreen, greenStory, planned } from '../world/crew.ts'
import { read } from '../world/crew-conversation.ts'
import { greenLanes, resultOf } from '../world/fixture.ts'
import { launch } from '../world/process.ts'
import { type BudgetWorld, createBudgetWorld, using, writePlanFile } from '../world/wire-budget.ts'

let world: BudgetWorld
afterEach(() => world.remove())

const usage = { input: 20_000, output: 1_000 }

const spentIn = (run: string) => read(world.fixture, (records) => records.spent(run))

test('what was reserved for a call stays spent when the process is killed during it, and again when its repetition is', async () => {
  const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const answer = (turn: WireTurn, { number }: { readonly number: number }): WireTurn => {
    if (number !== 2 && number !== 3) return turn
    asked[number - 2]?.resolve()
    return { fault: 'hang' }
  }
  world = await createBudgetWorld(using(greenLanes, usage), { answer })
  const { fixture, model } = world
  const running = launch(['task', 'say new', '--repo', fixture.repo, '--model', model, '--json'], fixture)
  const { run } = JSON.parse(await running.line(/"type":"run"/))
  await asked[0]?.promise
  const { reserved } = await spentIn(run)
  expect(reserved.microUsd).toBeGreaterThan(16_384)
  running.child.kill('SIGKILL')
  expect((await running.ended).signal).toBe('SIGKILL')

  const repeating = launch(['resume', '--repo', fixture.repo, '--json'], fixture)
  await asked[1]?.promise
  expect(await spentIn(run)).toMatchObject({ reserved, microUsd: 21_000 + 2 * reserved.microUsd, underWay: 1 })
  repeating.child.kill('SIGKILL')
  expect((await repeating.ended).signal).toBe('SIGKILL')

  const done = await fixture.drydock('resume', '--json')
  expect(resultOf(done), done.stderr).toMatchObject({
    ...{ status: 'DONE', tokens: 63_000 + 2 * reserved.tokens },
    cost_usd: (63_000 + 2 * reserved.microUsd) / 1e6,
  })
  expect(world.heard()).toHaveLength(5)
  expect(await spentIn(run)).toMatchObject({ reserved: { microUsd: 0, tokens: 0 }, underWay: 0 })
  const { page, close } = await serveHere(fixture)
  const { spending } = await page.get<Figures>(`/api/runs/${run}/figures`)
  const last = Object.values(spending.at(-1)?.cost_usd ?? {}).reduce((sum, usd) => sum + usd, 0)
  expect(last).toBeCloseTo((63_000 + 2 * reserved.microUsd) / 1e6, 9)
  await close()
})

test('a call that ends its process each time it is made spends the budget, and then the run pauses', async () => {
  let asked = Promise.withResolvers<void>()
  const answer = (turn: WireTurn, { number }: { readonly number: number }): WireTurn => {
    if (number === 1) return turn
    asked.resolve()
    return { fault: 'hang' }
  }
  world = await createBudgetWorld(using(greenLanes, usage), { answer, user: { budget: { run_usd: 0.1 } } })
  const { fixture, model } = world
  let running = launch(['task', 'say new', '--repo', fixture.repo, '--model', model, '--json'], fixture)
  const { run } = JSON.parse(await running.line(/"type":"run"/))
  let held = 0
  for (;;) {
    const ended = await Promise.race([running.ended, asked.promise.then(() => null)])
    if (ended !== null) {
      expect(ended.exitCode, ended.stderr).toBe(7)
      break
    }
    asked = Promise.withResolvers()
    held = (await spentIn(run)).reserved.microUsd
    running.child.kill('SIGKILL')
    await running.ended
    running = launch(['resume', '--repo', fixture.repo, '--json'], fixture)
  }
  const times = world.heard().length - 1
  expect(times).toBeGreaterThan(1)
  const spent = await spentIn(run)
  expect(spent).toMatchObject({ reserved: { microUsd: 0 }, microUsd: 21_000 + times * held })
  expect(spent.microUsd).toBeLessThanOrEqual(100_000)
})

test('a raise is taken up by the process that works on the other stories', async () => {
  const gate = Promise.withResolvers<void>()
  const answer = async (turn: WireTurn, { lane }: { readonly lane: string }) => {
    if (lane === 'architect/REQUEST/code/two/1') await gate.promise
    return turn
  }
  const lanes = { ...using(greenStory('one'), { input: 60_000, output: 1_000 }), ...using(greenStory('two'), usage) }
  const user = { budget: { story_usd: 0.135 } }
  world = await createBudgetWorld(lanes, { steps: [alwaysGreen], user, answer })
  const { fixture, model } = world
  const plan = await writePlanFile(fixture, [planned({ id: 'one' }), planned({ id: 'two' })])
  const flags = ['--plan', plan, '--repo', fixture.repo, '--model', model, '--json']
  const running = launch(['run', 'Make the files', ...flags], fixture)
  await running.line(/"type":"paused".*"story":"one"/)
  const raised = await fixture.drydock('budget', '--raise', '1')
  expect(raised.stdout).toBe('Raised. Waiting work continues.\n')
  // Nothing of it needs the other story, which is held up until now.
  await running.line(/"story":"one".*"to":"DONE"/)
  gate.resolve()
  const done = await running.ended
  expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE', cost_usd: 0.41 })
})
