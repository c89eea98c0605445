import type { Machine, MachineKind } from '../domain/machine.ts'
import type { Machines } from '../domain/machines.ts'
import { landsTogether, repositoryOf, runIn } from '../domain/run/repositories.ts'
import type { Run } from '../domain/run/run.ts'
import type { Story } from '../domain/story/story.ts'
import type { Records } from '../ports/store.ts'

/**
 * A stored machine of a kind. The workflow guarantees that it exists, so a missing one is a bug.
 */
export async function load<Kind extends MachineKind>(
  records: Records,
  kind: Kind,
  id: string,
): Promise<Machines[Kind]> {
  const machine = await records.machineOf(kind, id)
  if (machine === null) throw new Error(`there is no ${kind} ${id}`)
  return machine
}

/** The story of a machine; null if it has none. */
export async function storyOf(records: Records, { run, story }: Pick<Machine, 'run' | 'story'>): Promise<Story | null> {
  return story === null ? null : load(records, 'story', storyId(run, story))
}

/** The Run of a machine, as the repository of the machine's story sees it; read-only. */
export async function runOf(records: Records, machine: Pick<Machine, 'run' | 'story'>): Promise<Run> {
  const run = await load(records, 'run', machine.run)
  const story = landsTogether(run) ? await storyOf(records, machine) : null
  return story === null ? run : runIn(run, repositoryOf(story))
}

/** Returns the story of a machine that always has one. */
export async function requireStory(records: Records, machine: Pick<Machine, 'id' | 'run' | 'story'>): Promise<Story> {
  const story = await storyOf(records, machine)
  if (story === null) throw new Error(`${machine.id} belongs to no story`)
  return story
}

/**
 * The stories of a Run in order of creation. A task has one once it has started; a verification and
 * a scout's question have none.
 */
export function storiesOf(records: Records, run: string): Promise<readonly Story[]> {
  return records.machines({ kind: 'story', run })
}

export function storyId(run: string, story: string): string {
  return `${run}/${story}`
}
