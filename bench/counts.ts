import { join } from 'node:path'
import type { GroupFigures } from './benchmarks.ts'
import { environmentOf, startDrydock, taskArguments } from './drydock-process.ts'
import type { ModelProcess } from './model-process.ts'
import { createRepository } from './repository.ts'
import { median } from './statistics.ts'
import { between, isTracerInstalled, readTrace, tracer } from './trace.ts'
import { commands, reads, task } from './turns.ts'

const rounds = 3
const names = [
  'child processes up to the first request',
  'child processes of a turn with a read',
  'child processes of a turn with a command',
  'fsyncs of a turn with a read',
  'fsyncs of a turn with a command',
] as const
type Name = (typeof names)[number]

/**
 * Counts system calls in a 30-turn task, since the machine's load does not change them. Every kind
 * of turn is counted from the second one on, since the first may open something.
 */
export async function measureCounts(model: ModelProcess): Promise<GroupFigures> {
  if (!isTracerInstalled()) {
    console.error('bench: strace is not installed, so no processes and fsyncs are counted: apt-get install strace')
    return Object.fromEntries(names.map((name) => [name, null]))
  }
  const fixture = await createRepository(100)
  const env = environmentOf(fixture, model.origin)
  const counted: Record<Name, number>[] = []
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const file = join(fixture.folder, `trace-${round}`)
      await model.play(task)
      await startDrydock(taskArguments(fixture), env, tracer(file)).done
      const times = (await model.taken()).map(({ at }) => at)
      // The first round of a state does more.
      if (round > 0) counted.push(await countsOf(file, times))
    }
    return Object.fromEntries(names.map((name) => [name, median(counted.map((counts) => counts[name]))]))
  } finally {
    await fixture.remove()
  }
}

async function countsOf(file: string, times: readonly number[]): Promise<Record<Name, number>> {
  const { processes, fsyncs } = await readTrace(file)
  const at = (request: number) => times[request] ?? Number.NaN
  const aTurn = (events: readonly number[], first: number, end: number) =>
    between(events, at(first), at(end)) / (end - first)
  // The first request is for the plan.
  const [read, command, end] = [1, 1 + reads.length, 1 + reads.length + commands.length]
  return {
    'child processes up to the first request': between(processes, 0, at(0)),
    'child processes of a turn with a read': aTurn(processes, read + 1, command),
    'child processes of a turn with a command': aTurn(processes, command + 1, end),
    'fsyncs of a turn with a read': aTurn(fsyncs, read + 1, command),
    'fsyncs of a turn with a command': aTurn(fsyncs, command + 1, end),
  }
}
