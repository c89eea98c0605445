import type { Lane } from '../agents/lane.ts'
import { roleSections } from '../agents/prompts/role-sections.ts'
import { systemOf } from '../agents/prompts/system.ts'
import { type AgentRole, agentOf, freshLane, type LaneData, type LaneLimits } from '../domain/lane.ts'
import type { Transaction } from '../ports/store.ts'
import { load } from './machines.ts'

export interface NewLane {
  readonly run: string
  readonly story: string | null
  readonly key: string
  readonly role: AgentRole
  readonly parent: string
  readonly limits: LaneLimits
  /** Its first message, after what the user and the repository say to its role. */
  readonly prompt: string
}

/** Opens a lane: a conversation that knows nothing but its prompt. Its first step is queued. */
export async function openLane(tx: Transaction, { prompt, run, story, ...lane }: NewLane): Promise<Lane> {
  const { config } = (await load(tx, 'run', run)).data
  const sections = config === null ? [] : roleSections(agentOf(lane.role), config)
  const data: LaneData = { ...lane, ...freshLane, system: systemOf(lane.role) }
  const machine = (await tx.insertMachine({
    id: laneId(run, lane.key),
    kind: 'lane',
    run,
    story,
    state: 'ASKING',
    data,
  })) as Lane
  await tx.appendMessages(machine.id, [{ role: 'user', text: [...sections, prompt].join('\n\n') }])
  await tx.appendEvent({ run, story, type: 'lane', data: { lane: lane.key, state: 'ASKING' } })
  await tx.enqueue(machine)
  return machine
}

export function laneId(run: string, key: string): string {
  return `${run}/${key}`
}
