import { agentOf, shortageOf } from '../../domain/lane/lane.ts'
import type { AnyMachine } from '../../domain/machines.ts'
import { slotId } from '../../domain/slot/slot.ts'
import type { Commit } from '../../ports/engine.ts'
import type { Records, Transaction } from '../../ports/store.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { load, storyOf } from '../machines.ts'

/** True if the workspace of a slot lies on another host. */
export async function isElsewhere(
  { store, engine }: Pick<WorkflowDependencies, 'store' | 'engine'>,
  slot: string,
): Promise<boolean> {
  const stored = await store.machineOf('slot', slotId(slot))
  return stored !== null && stored.data.host !== engine.host
}

/**
 * Ends a step of an agent or a story whose workspace is not ready yet; false if the step has to be
 * taken. The step is queued again when the workspace is ready (`wakeAgents`).
 */
export async function waitForWorkspace(
  { store }: Pick<WorkflowDependencies, 'store'>,
  machine: AnyMachine,
  commit: Commit,
): Promise<boolean> {
  if (!(await lacksWorkspace(store, machine))) return false
  await commit(async (tx) => {
    if (!(await lacksWorkspace(tx, machine))) await tx.queue(machine)
  })
  return true
}

async function lacksWorkspace(records: Records, machine: AnyMachine): Promise<boolean> {
  if (machine.kind === 'story') return machine.state === 'SETUP' && machine.data.slot === null
  if (machine.kind !== 'scout_query' && !(machine.kind === 'lane' && agentOf(machine.data.role) !== 'architect'))
    return false
  const story = await storyOf(records, machine)
  if (story !== null) return story.state === 'SETUP' || story.data.slot === null
  return (await load(records, 'run', machine.run)).data.slot === null
}

/** Continues a story's editor and scouts after its workspace is restored. */
export async function wakeAgents(tx: Transaction, { run, story }: Pick<AnyMachine, 'run' | 'story'>): Promise<void> {
  const lanes = await tx.machines({ kind: 'lane', run, states: ['ASKING', 'ACTING'] })
  const queries = await tx.machines({ kind: 'scout_query', run, states: ['ASKED'] })
  const working = lanes.filter(({ data }) => agentOf(data.role) !== 'architect' && shortageOf(data) === null)
  for (const machine of [...working, ...queries]) if (machine.story === story) await tx.queue(machine)
}
