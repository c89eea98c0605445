import { globSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { doorFile } from '../src/cli/door/door-file.ts'
import { change, type Fixture, plan, write } from '../test/scenarios/world/fixture.ts'
import { bareFirstRequest, floorFirstRequest } from './bare-loop-process.ts'
import type { GroupFigures } from './benchmarks.ts'
import { type Environment, environmentOf, startDrydock, taskArguments } from './drydock-process.ts'
import type { ModelProcess } from './model-process.ts'
import { createRepository } from './repository.ts'
import { median } from './statistics.ts'

const short = [plan(), write('new\n'), change()]

/** Measures from the start of a process to its version, and to the first request at its model. */
export async function measureStartup(model: ModelProcess, large: Fixture): Promise<GroupFigures> {
  const small = await createRepository(100)
  const served = environmentOf(small, model.origin, 'served')
  const server = startDrydock(['serve', '--json', '--repo', small.repo], served)
  try {
    const versions: number[] = []
    const bare: number[] = []
    const floor: number[] = []
    const cold: number[] = []
    const warm: number[] = []
    const warmLarge: number[] = []
    const withServer: number[] = []
    const warmed = { small: environmentOf(small, model.origin), large: environmentOf(large, model.origin) }
    await toFirstRequest(model, small, warmed.small)
    await toFirstRequest(model, large, warmed.large)
    while (globSync(`${served.DRYDOCK_HOME}/*/${doorFile}`).length === 0) await delay(50)
    await toFirstRequest(model, small, served)
    for (let round = 0; round < 7; round += 1) {
      versions.push(await toVersion(small))
      versions.push(await toVersion(small))
      bare.push(await bareFirstRequest(model, small))
      floor.push(await floorFirstRequest(model, small, `${small.folder}/state`))
      const fresh = environmentOf(small, model.origin, `state-${round}`)
      cold.push(await toFirstRequest(model, small, { ...fresh, HOME: `${small.folder}/home-${round}` }))
      warm.push(await toFirstRequest(model, small, warmed.small))
      withServer.push(await toFirstRequest(model, small, served))
      warmLarge.push(await toFirstRequest(model, large, warmed.large))
    }
    return {
      'drydock --version': median(versions),
      'bare loop, first model request': median(bare),
      'floor, first model request': median(floor),
      'first model request': median(warm),
      'first request, times the floor': median(warm) / median(floor),
      'first model request, with a server': median(withServer),
      'first model request, first start ever': median(cold),
      'first model request, 5,000 files': median(warmLarge),
    }
  } finally {
    await server.kill()
    await small.remove()
  }
}

async function toVersion(fixture: Fixture): Promise<number> {
  const { startedAt, done } = startDrydock(['--version'], fixture.env)
  return (await done).endedAt - startedAt
}

async function toFirstRequest(model: ModelProcess, fixture: Fixture, env: Environment): Promise<number> {
  const { first } = await model.play(short)
  const { startedAt, done } = startDrydock(taskArguments(fixture), env)
  await done
  return (await first) - startedAt
}
