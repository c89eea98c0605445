import { openDrydock } from '../src/compose.ts'
import { call, change, type Fixture, plan, write } from '../test/scenarios/world/fixture.ts'
import type { WireCall, WireTurn } from '../test/wire/turn.ts'
import type { GroupFigures } from './benchmarks.ts'
import { environmentOf, startDrydock, taskArguments } from './drydock-process.ts'
import type { ModelProcess } from './model-process.ts'
import { filesOfLargeRepository, moduleFile } from './repository.ts'
import { quantile } from './statistics.ts'

const tasks = 5
const turns = 40
const state = 'tools'
const tools = ['read_file', 'list_files', 'search_files', 'get_diff'] as const

/**
 * Measures an editor that looks around in a large repository after each of its edits: the duration
 * of each call, by its stored record.
 */
export async function measureTools(model: ModelProcess, fixture: Fixture): Promise<GroupFigures> {
  const env = environmentOf(fixture, model.origin, state)
  for (let task = 0; task < tasks; task += 1) {
    await model.play(script(task))
    await startDrydock(taskArguments(fixture), env).done
  }
  const durations = await recordedDurations(fixture, env)
  const p99 = (tool: (typeof tools)[number]) => {
    const found = durations.get(tool) ?? []
    if (found.length !== tasks * turns) throw new Error(`${tool} was recorded ${found.length} times`)
    return quantile(found, 0.99)
  }
  return {
    'read_file, p99': p99('read_file'),
    'list_files, p99': p99('list_files'),
    'search_files, p99': p99('search_files'),
    'get_diff, p99': p99('get_diff'),
  }
}

function script(task: number): readonly WireTurn[] {
  const looks = Array.from({ length: turns }, (_, turn) => {
    const number = ((task * turns + turn) * 23) % filesOfLargeRepository
    const calls: WireCall[] = [
      { tool: 'write_file', input: { path: moduleFile(number), content: `export const turn = ${turn}\n` } },
      { tool: 'read_file', input: { path: moduleFile(number + 1) } },
      { tool: 'list_files', input: { pattern: `src/**/module-*${turn}.ts` } },
      { tool: 'search_files', input: { pattern: `value \\* ${number + 2} \\+ 7$`, glob: 'src/**/*.ts' } },
      { tool: 'get_diff', input: { path: moduleFile(number) } },
    ]
    return { calls }
  })
  return [plan(), call('list_files', { pattern: 'README.md' }), ...looks, write('new\n'), change()]
}

/** Milliseconds by tool, without the call that opens a lane's sandbox. */
async function recordedDurations({ repo }: Fixture, env: Readonly<Record<string, string>>) {
  const records = (await openDrydock({ directory: repo, env })).openRecords()
  if (records === null) throw new Error('there is no state')
  const durations = new Map<string, number[]>()
  for (const run of await records.machines({ kind: 'run' })) {
    for (let turn = 1; turn <= turns; turn += 1) {
      for (let index = 0; index < 5; index += 1) {
        const row = await records.toolExecution(`${run.id}/editor/task/CODING`, turn, index)
        if (!row?.success || row.durationMs === null) throw new Error(`${row?.tool} failed: ${row?.result}`)
        durations.set(row.tool, [...(durations.get(row.tool) ?? []), row.durationMs])
      }
    }
  }
  await records.close()
  return durations
}
