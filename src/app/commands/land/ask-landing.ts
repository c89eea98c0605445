import { randomUUID } from 'node:crypto'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { isLanding, type LandingGoal, landingMachine } from '../../../domain/landing/landing.ts'
import type { ReceiptReader } from '../../../ports/receipts.ts'
import type { Drydock } from '../../drydock.ts'
import { reading } from '../../reading.ts'
import { findExactly } from '../../views/find/find-exactly.ts'
import { type HandedOver, handOver } from '../hand-over.ts'
import { noBranch } from './land-onto.ts'
import { readLandable } from './landable.ts'

/**
 * Asks the owner to land a Run's result, once. DrydockError `not_landable`, `unknown_revision`,
 * `already_done` while it is being landed, and a forge's.
 */
export async function askLanding(
  drydock: Drydock,
  receipts: ReceiptReader,
  { id, goal }: { readonly id: string; readonly goal: LandingGoal },
): Promise<{ readonly run: string; readonly landing: string; readonly handed: HandedOver }> {
  await reading(drydock, (records) => findExactly(records, id))
  const { run } = await readLandable(drydock, receipts, { id, goal: goal.kind })
  await refuseSecond(drydock, run.id)
  if (goal.kind === 'onto') await requireBranch(drydock, goal.branch)
  if (goal.kind === 'change') await drydock.openForge(await drydock.remotes.url('origin'), null)
  const name = randomUUID()
  const landing = landingMachine(name)
  const at = drydock.clock.now().toISOString()
  const handed = await handOver(drydock, `land/${name}`, { kind: 'land', run: run.id, landing, goal, at })
  const isMade = handed !== 'applied' || (await reading(drydock, (records) => records.machineOf('landing', landing)))
  if (!isMade) throw second(run.id)
  return { run: run.id, landing, handed }
}

async function refuseSecond(drydock: Drydock, run: string): Promise<void> {
  const isUnderWay = await reading(drydock, async (records) => {
    const pending = await records.pendingCommands()
    if (pending.some(({ command }) => command.kind === 'land' && command.run === run)) return true
    return (await records.machines({ kind: 'landing', run })).some(isLanding)
  })
  if (isUnderWay) throw second(run)
}

async function requireBranch({ userRepository }: Drydock, name: string): Promise<void> {
  const { branch } = await userRepository.target(name)
  if (branch === null) throw noBranch(name)
}

function second(run: string): DrydockError {
  return new DrydockError('already_done', `${run} is being landed already.`, {
    todo: 'Wait for its end. Nothing was asked for twice.',
  })
}
