import type { Lanes } from '../scenarios/world/crew.ts'
import { type StoreOptions, storeCrewIn } from '../scenarios/world/stored-crew.ts'
import { createCrewFixture, type Fixture, type WorldOptions } from './fixture.ts'

/** Stores a crew's Run that has not started. */
export async function storeCrew(
  lanes: Lanes,
  { reviewStories = false, ...more }: StoreOptions & WorldOptions = {},
): Promise<Fixture> {
  return storeCrewIn(await createCrewFixture(more), lanes, { reviewStories })
}
