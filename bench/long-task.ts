import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { call, change, plan, write } from '../test/scenarios/world/fixture.ts'
import type { WireTurn } from '../test/wire/turn.ts'
import { runBareLoop } from './bare-loop-process.ts'
import type { GroupFigures } from './benchmarks.ts'
import { anthropicModel, environmentOf, startDrydock, taskArguments } from './drydock-process.ts'
import type { ModelProcess } from './model-process.ts'
import { createRepository, moduleFile } from './repository.ts'
import { median } from './statistics.ts'

const rounds = 2
/** The turns to compare, each with `around` turns before and after it. */
const looked = [30, 100, 300] as const
const around = 5
const turns = Math.max(...looked) + around
/** Large enough that no turn is cut from the model's context, and no budget ends the task. */
const config = { context: { [anthropicModel]: 10_000_000 }, budget: { run_tokens: 10_000_000_000 } }

/**
 * Measures one long task of reads, and the same reads in a bare loop: late turns must not take
 * longer than early ones.
 */
export async function measureLongTask(model: ModelProcess): Promise<GroupFigures> {
  const fixture = await createRepository(turns)
  const env = environmentOf(fixture, model.origin)
  const reads: readonly WireTurn[] = Array.from({ length: turns }, (_, i) => call('read_file', { path: moduleFile(i) }))
  const ours: (readonly number[])[] = []
  const theirs: (readonly number[])[] = []
  try {
    const folder = join(fixture.folder, 'config', 'drydock')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'config.json'), JSON.stringify(config))
    for (let round = 0; round < rounds; round += 1) {
      await model.play([plan(), ...reads, write('new\n'), change()], { withBodies: false })
      await startDrydock(taskArguments(fixture), env).done
      // The request for the plan does not count.
      ours.push(gapsOf((await model.taken()).slice(1)))
      theirs.push(gapsOf(await runBareLoop(model, { fixture, turns: reads, withBodies: false })))
    }
    return Object.fromEntries(
      looked.flatMap((turn) => {
        const [own, bare] = [gapAt(turn, ours), gapAt(turn, theirs)]
        return [
          [`turn ${turn} of a long task`, own],
          [`bare loop, turn ${turn} of a long task`, bare],
          [`turn ${turn}, times the bare loop`, own / bare],
        ]
      }),
    )
  } finally {
    await fixture.remove()
  }
}

/** Milliseconds of each turn, from its request to the next one. */
function gapsOf(requests: readonly { readonly at: number }[]): readonly number[] {
  if (requests.length <= turns) throw new Error(`the long task made ${requests.length} requests`)
  return requests.slice(0, turns).map(({ at }, i) => (requests[i + 1]?.at ?? Number.NaN) - at)
}

function gapAt(turn: number, rounds: readonly (readonly number[])[]): number {
  return median(rounds.flatMap((gaps) => gaps.slice(turn - 1 - around, turn + around)))
}
