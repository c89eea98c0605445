import { afterEach, expect, test } from 'vitest'
import type { WireTurn } from '../../wire/turn.ts'
import { createBudgetWorld } from '../../world/budget.ts'
import type { Fixture } from '../../world/fixture.ts'
import { read } from '../world/crew-conversation.ts'
import { greenLanes, resultOf } from '../world/fixture.ts'
import { type BudgetWorld, using } from '../world/wire-budget.ts'

let world: BudgetWorld<Fixture>
afterEach(() => world.remove())

const usage = { input: 20_000, output: 1_000 }

const spentIn = (run: string) => read(world.fixture, (records) => records.spent(run))

test('a reservation stays spent when the process is killed during its call, and again during the repetition', async () => {
  const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const answer = (turn: WireTurn, { number }: { readonly number: number }): WireTurn => {
    if (number !== 2 && number !== 3) return turn
    asked[number - 2]?.resolve()
    return { fault: 'hang' }
  }
  world = await createBudgetWorld(using(greenLanes, usage), { answer })
  const { fixture, model } = world
  const running = fixture.launch(['task', 'say new', '--model', model, '--json'])
  const { run } = JSON.parse(await running.line(/"type":"run"/))
  await asked[0]?.promise
  const { reserved } = await spentIn(run)
  expect(reserved.microUsd).toBeGreaterThan(16_384)
  running.kill('SIGKILL')
  expect((await running.ended).signal).toBe('SIGKILL')

  const repeating = fixture.launch(['resume', '--json'])
  await asked[1]?.promise
  expect(await spentIn(run)).toMatchObject({ reserved, microUsd: 21_000 + 2 * reserved.microUsd, underWay: 1 })
  repeating.kill('SIGKILL')
  expect((await repeating.ended).signal).toBe('SIGKILL')

  const done = await fixture.drydock('resume', '--json')
  expect(resultOf(done), done.stderr).toMatchObject({
    status: 'DONE',
    tokens: 63_000 + 2 * reserved.tokens,
    cost_usd: (63_000 + 2 * reserved.microUsd) / 1e6,
  })
  expect(world.heard()).toHaveLength(5)
  expect(await spentIn(run)).toMatchObject({ reserved: { microUsd: 0, tokens: 0 }, underWay: 0 })
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
  let running = fixture.launch(['task', 'say new', '--model', model, '--json'])
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
    running.kill('SIGKILL')
    await running.ended
    running = fixture.launch(['resume', '--json'])
  }
  const times = world.heard().length - 1
  expect(times).toBeGreaterThan(1)
  const spent = await spentIn(run)
  expect(spent).toMatchObject({ reserved: { microUsd: 0 }, microUsd: 21_000 + times * held })
  expect(spent.microUsd).toBeLessThanOrEqual(100_000)
})
