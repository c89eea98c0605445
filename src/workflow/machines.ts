import { freshLane } from '../domain/lane/lane.ts'
import type { Machine, MachineKind } from '../domain/machine.ts'
import type { Machines } from '../domain/machines.ts'
import { newRun, type RunData } from '../domain/run/run.ts'
import { freshWork, type Story } from '../domain/story/story.ts'
import type { Records } from '../ports/store.ts'

/** What machines lack that were stored before there was a crew. */
const later: Partial<Record<MachineKind, object>> = {
  run: newRun({ target: null, configFile: null, models: null, budgetUsd: null } as RunData),
  story: { ...freshWork, planned: null, merging: null },
  lane: freshLane,
  verification: { merge: null },
}

/**
 * A stored machine of a kind; that it is there is a rule of the workflow, so its absence is a bug.
 */
export async function load<Kind extends keyof Machines>(
  records: Records,
  kind: Kind,
  id: string,
): Promise<Machines[Kind]> {
  const machine = await records.machine(id)
  if (machine?.kind !== kind) throw new Error(`there is no ${kind} ${id}`)
  return complete(machine) as Machines[Kind]
}

export async function list<Kind extends keyof Machines>(
  records: Records,
  kind: Kind,
  filter: { readonly run?: string; readonly states?: readonly string[] } = {},
): Promise<readonly Machines[Kind][]> {
  return (await records.machines({ kind, ...filter })).map(complete) as unknown as readonly Machines[Kind][]
}

function complete(machine: Machine): Machine {
  return { ...machine, data: { ...later[machine.kind], ...(machine.data as object) } }
}

/** The story that a machine belongs to; null when that is none. */
export async function storyOf(records: Records, { run, story }: Pick<Machine, 'run' | 'story'>): Promise<Story | null> {
  return story === null ? null : load(records, 'story', storyId(run, story))
}

/** For machines that only stories have. */
export async function requireStory(records: Records, machine: Pick<Machine, 'id' | 'run' | 'story'>): Promise<Story> {
  const story = await storyOf(records, machine)
  if (story === null) throw new Error(`${machine.id} belongs to no story`)
  return story
}

/**
 * The stories of a Run in order of creation; a task has one once it has started, a verification and
 * a scout's question none.
 */
export function storiesOf(records: Records, run: string): Promise<readonly Story[]> {
  return list(records, 'story', { run })
}

export function storyId(run: string, story: string): string {
  return `${run}/${story}`
}
