import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { call, change, type Fixture, plan, write } from '../test/scenarios/world/fixture.ts'
import type { WireTurn } from '../test/wire/turn.ts'
import { runBareLoop, runFloorLoop } from './bare-loop-process.ts'
import type { GroupFigures } from './benchmarks.ts'
import { anthropicModel, type Environment, environmentOf, startDrydock, taskArguments } from './drydock-process.ts'
import type { ModelProcess, ServerRequest } from './model-process.ts'
import { createRepository, moduleFile } from './repository.ts'
import { shareOfKeptPrefixes, shareOfRepeatedBytes, tokensOfRequest } from './requests.ts'
import { median } from './statistics.ts'

const rounds = 5
export const reads = Array.from({ length: 14 }, (_, i) => call('read_file', { path: moduleFile(i) }))
export const commands = Array.from({ length: 13 }, (_, i) =>
  call('run_command', { command: `wc -l < ${moduleFile(i)}` }),
)
/** 30 turns: the plan, the measured turns, an edit, and the change. */
export const task: readonly WireTurn[] = [plan(), ...reads, ...commands, write('new\n'), change()]

/** Measures a 30-turn task repeatedly, each time next to the same turns in a bare loop. */
export async function measureTurns(model: ModelProcess): Promise<GroupFigures> {
  const fixture = await createRepository(100)
  const env = environmentOf(fixture, model.origin)
  const ours: ServerRequest[][] = []
  const theirs: ServerRequest[][] = []
  const floor: ServerRequest[][] = []
  const peaks: number[] = []
  try {
    await runTask({ model, fixture, env }) // The first start also compiles the code for the later ones
    for (let round = 0; round < rounds; round += 1) {
      const { requests, peakMiB } = await runTask({ model, fixture, env })
      ours.push([...requests])
      peaks.push(peakMiB)
      theirs.push([...(await runBareLoop(model, { fixture, turns: [...reads, ...commands] }))])
      floor.push([...(await runFloorLoop(model, { fixture, turns: [...reads, ...commands] }))])
    }
    const compatible = await runTask({ model, fixture, env: await namedProvider(fixture, env), id: 'local:bench' })
    const read = median(ours.flatMap((requests) => turnsOf(requests, 1, reads.length)))
    const command = median(ours.flatMap((requests) => turnsOf(requests, 1 + reads.length, commands.length)))
    const loopRead = (runs: readonly ServerRequest[][]) => median(runs.flatMap((run) => turnsOf(run, 0, reads.length)))
    const loopCommand = (runs: readonly ServerRequest[][]) =>
      median(runs.flatMap((run) => turnsOf(run, reads.length, commands.length)))
    const [bareRead, bareCommand] = [loopRead(theirs), loopCommand(theirs)]
    const [floorRead, floorCommand] = [loopRead(floor), loopCommand(floor)]
    return {
      'turn with a read': read,
      'turn with a command': command,
      'bare loop, turn with a read': bareRead,
      'bare loop, turn with a command': bareCommand,
      'read, times the bare loop': read / bareRead,
      'command, times the bare loop': command / bareCommand,
      'floor, turn with a read': floorRead,
      'floor, turn with a command': floorCommand,
      'read, times the floor': read / floorRead,
      'command, times the floor': command / floorCommand,
      'memory of a 30-turn task': Math.max(...peaks),
      'first request of planning': tokensOfRequest(ours[0]?.[0]),
      'first request of coding': tokensOfRequest(ours[0]?.[1]),
      'requests that begin with the one before': shareOfKeptPrefixes([...ours, compatible.requests]),
      'of a request, what the one before held': shareOfRepeatedBytes([...ours, compatible.requests]),
    }
  } finally {
    await fixture.remove()
  }
}

interface TaskOptions {
  readonly model: ModelProcess
  readonly fixture: Fixture
  readonly env: Environment
  readonly id?: string
}

async function runTask({ model, fixture, env, id = anthropicModel }: TaskOptions) {
  await model.play(task)
  const { peakMiB } = await startDrydock(taskArguments(fixture, id), env).done
  const requests = await model.taken()
  if (requests.length !== task.length) throw new Error(`the task made ${requests.length} requests`)
  return { requests, peakMiB }
}

/** Declares the same server as a provider in the user's own file, in OpenAI's format. */
async function namedProvider(fixture: Fixture, env: Environment): Promise<Environment> {
  const folder = join(fixture.folder, 'config', 'drydock')
  const provider = { kind: 'openai-compatible', baseURL: `${env.ANTHROPIC_BASE_URL}/v1` }
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'config.json'), JSON.stringify({ providers: { local: provider } }))
  return env
}

/** A turn lasts from one request to the next: reply, call, result, and their records. */
function turnsOf(requests: readonly ServerRequest[], first: number, count: number): readonly number[] {
  return requests.slice(first, first + count).map(({ at }, i) => (requests[first + i + 1]?.at ?? Number.NaN) - at)
}
