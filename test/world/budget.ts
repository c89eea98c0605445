import type { Lanes } from '../scenarios/world/crew.ts'
import { prices } from '../scenarios/world/wire-budget.ts'
import { createMemoryFixture } from './fixture.ts'

/** See createBudgetWorld: the same lanes and prices, without a provider. */
export async function createMemoryBudgetWorld(lanes: Lanes, options: any): Promise<any> {
  const { user = {}, answer = (turn: object) => turn, ...more } = options
  const heard: string[] = []
  const fixture = await createMemoryFixture({
    ...more,
    user: { prices, ...user },
    answer: (turn, { lane }) => {
      // A provider knows no lane of a scout, as it has no name on the wire.
      const name = lane.replace(/^.*scout.*$/i, 'scout').replace(/@\d+$/, '')
      const number = heard.push(name)
      const wire = turn ?? undefined
      return wire === undefined ? undefined : answer(wire, { lane: name, number })
    },
  })
  await fixture.replay(lanes)
  return { fixture, server: { requests: [] }, model: 'wire:crew', heard: () => heard, remove: () => fixture.remove() }
}
