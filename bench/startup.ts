import { change, type Fixture, plan, write } from '../test/scenarios/fixture.ts'
import type { Measured } from './benchmarks.ts'
import { environmentOf, startDrydock, taskArguments } from './drydock-process.ts'
import type { ModelProcess } from './model-process.ts'
import { createRepository } from './repository.ts'
import { median } from './statistics.ts'

const short = [plan(), write('new\n'), change()]

/** From the start of a process to its version, and to the first request that its model gets. */
export async function measureStartup(model: ModelProcess, large: Fixture): Promise<Measured> {
  const small = await createRepository(100)
  try {
    const versions: number[] = []
    const cold: number[] = []
    const warm: number[] = []
    const warmLarge: number[] = []
    await toFirstRequest({ model, fixture: large, state: 'startup' })
    await toFirstRequest({ model, fixture: small, state: 'startup' })
    for (let round = 0; round < 7; round += 1) {
      versions.push(await toVersion(small))
      versions.push(await toVersion(small))
      cold.push(await toFirstRequest({ model, fixture: small, state: `startup-${round}` }))
      warm.push(await toFirstRequest({ model, fixture: small, state: 'startup' }))
      warmLarge.push(await toFirstRequest({ model, fixture: large, state: 'startup' }))
    }
    return {
      'drydock --version': median(versions),
      'first model request': median(warm),
      'first model request, no state yet': median(cold),
      'first model request, 5,000 files': median(warmLarge),
    }
  } finally {
    await small.remove()
  }
}

async function toVersion(fixture: Fixture): Promise<number> {
  const { startedAt, done } = startDrydock(['--version'], fixture.env)
  return (await done).endedAt - startedAt
}

interface Start {
  readonly model: ModelProcess
  readonly fixture: Fixture
  readonly state: string
}

async function toFirstRequest({ model, fixture, state }: Start): Promise<number> {
  const { first } = await model.play(short)
  const { startedAt, done } = startDrydock(taskArguments(fixture), environmentOf(fixture, model.origin, state))
  await done
  return (await first) - startedAt
}
