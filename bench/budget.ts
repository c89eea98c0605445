import { alwaysGreen, greenStory, planned } from '../test/scenarios/world/crew.ts'
import { resultOf } from '../test/scenarios/world/fixture.ts'
import { createBudgetWorld, using, writePlanFile } from '../test/scenarios/world/wire-budget.ts'
import type { WireTurn } from '../test/wire/turn.ts'
import type { GroupFigures } from './benchmarks.ts'

const lanes = 16

/**
 * Runs stories side by side until their budget is used up: once with replies of maximal length, and
 * once with short ones, for which lanes wait for each other.
 */
export async function measureBudget(): Promise<GroupFigures> {
  const long = await callsOver({ usd: 0.5, usage: { input: 2_500, output: 16_384 } })
  const short = await callsOver({ usd: 0.07, usage: { input: 2_000, output: 500 } })
  return { '16 lanes, calls over their budget': long + short }
}

interface Spending {
  readonly usd: number
  readonly usage: NonNullable<WireTurn['usage']>
}

/** Number of requests that reached the server although the budget did not cover their cost. */
async function callsOver({ usd, usage }: Spending): Promise<number> {
  const ids = Array.from({ length: lanes }, (_, i) => `story-${i}`)
  const each = ((usage.input ?? 0) + (usage.output ?? 0)) / 1e6
  let spent = 0
  let over = 0
  const answer = (turn: WireTurn) => {
    spent += each
    if (spent > usd) over += 1
    return turn
  }
  const script = using(Object.assign({}, ...ids.map((id) => greenStory(id))), usage)
  const world = await createBudgetWorld(script, { steps: [alwaysGreen], answer })
  try {
    const { fixture, model } = world
    const plan = await writePlanFile(
      fixture,
      ids.map((id) => planned({ id })),
    )
    const flags = ['--model', model, '--plan', plan, '--max-coders', String(lanes), '--budget-usd', String(usd)]
    const result = await fixture.drydock('run', 'Make the files', ...flags, '--json')
    if (resultOf(result).status !== 'PAUSED') throw new Error(`the budget was not reached: ${result.stderr}`)
    return over
  } finally {
    await world.remove()
  }
}
