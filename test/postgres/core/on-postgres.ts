import { beforeAll, expect } from 'vitest'
import { createFixture } from '../../scenarios/world/fixture.ts'

/**
 * The tests of a file that imports this one have states on PostgreSQL, each in a database of its
 * own: `createFixture` looks at the variable.
 */
process.env.DRYDOCK_TEST_STATE = 'postgres'

// No test of its own: what a file does after each of its tests is not meant for it.
beforeAll(async () => {
  const fixture = await createFixture()
  expect((await fixture.drydock('doctor')).stdout).toMatch(/ok +state +PostgreSQL/)
  await fixture.remove()
})
