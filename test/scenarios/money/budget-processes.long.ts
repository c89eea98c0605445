import { afterEach, expect, test } from 'vitest'
import type { WireTurn } from '../../wire/turn.ts'
import { alwaysGreen, greenStory, planned } from '../world/crew.ts'
import { read } from '../world/crew-conversation.ts'
import { resultOf } from '../world/fixture.ts'
import { launch } from '../world/process.ts'
import { type BudgetWorld, createBudgetWorld, using, writePlanFile } from '../world/wire-budget.ts'

let world: BudgetWorld
afterEach(() => world.remove())

const usage = { input: 20_000, output: 1_000 }

const _spentIn = (run: string) => read(world.fixture, (records) => records.spent(run))

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
  // None of this needs the other story, which is held up until now.
  await running.line(/"story":"one".*"to":"DONE"/)
  gate.resolve()
  const done = await running.ended
  expect(resultOf(done), done.stderr).toMatchObject({ status: 'DONE', cost_usd: 0.41 })
})
