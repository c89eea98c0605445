import type { Lanes } from '../scenarios/world/crew.ts'
import { type BudgetOptions, type BudgetWorld, withBudget } from '../scenarios/world/wire-budget.ts'
import { createFixture, type Fixture, type WorldOptions } from './fixture.ts'

/** A fixture whose user has known prices and a provider that plays lanes. */
export async function createBudgetWorld(
  lanes: Lanes,
  { user, answer, ...more }: BudgetOptions & WorldOptions = {},
): Promise<BudgetWorld<Fixture>> {
  return withBudget(await createFixture(more), lanes, { ...(user && { user }), ...(answer && { answer }) })
}
