import type { Lane } from '../agents/lane.ts'
import type { Run } from '../domain/run.ts'
import type { ScoutQuery } from '../domain/scout-query.ts'
import type { Story } from '../domain/story.ts'
import type { Verification } from '../domain/verification.ts'
import type { Records } from '../ports/store.ts'

interface Machines {
  run: Run
  story: Story
  lane: Lane
  scout_query: ScoutQuery
  verification: Verification
}

/** A stored machine of a kind; that it is there is a rule of the workflow, so its absence is a bug. */
export async function load<Kind extends keyof Machines>(
  records: Records,
  kind: Kind,
  id: string,
): Promise<Machines[Kind]> {
  const machine = await records.machine(id)
  if (machine?.kind !== kind) throw new Error(`there is no ${kind} ${id}`)
  return machine as Machines[Kind]
}

export async function list<Kind extends keyof Machines>(
  records: Records,
  kind: Kind,
  filter: { readonly run?: string; readonly states?: readonly string[] } = {},
): Promise<readonly Machines[Kind][]> {
  return (await records.machines({ kind, ...filter })) as readonly Machines[Kind][]
}

/** The one story of a task's Run; null for a Run that has none. */
export async function storyOf(records: Records, run: string): Promise<Story | null> {
  return (await list(records, 'story', { run }))[0] ?? null
}
