import { randomUUID } from 'node:crypto'
import { finishRoutes } from '../../../api/finish-routes.ts'
import type { DrydockError } from '../../../domain/drydock-error.ts'
import { isLanding, type LandingGoal, landingMachine } from '../../../domain/landing/landing.ts'
import { anywayOf } from '../../commands/land/anyway.ts'
import { noBranch } from '../../commands/land/land-onto.ts'
import { readLandable } from '../../commands/land/landable.ts'
import type { Installation } from '../../installation.ts'
import { reading } from '../../reading.ts'
import type { RecordSource } from '../../state-access.ts'
import { usage } from '../../usage.ts'
import { find } from '../find.ts'
import { handOver } from '../hand-over.ts'
import { operation } from '../operation.ts'
import { done } from '../refusals.ts'

/**
 * Asks the owner to land a Run's result, once. DrydockError `not_landable`, `unknown_revision`,
 * `already_done` while it is being landed, and a forge's.
 */
export const land = operation(finishRoutes.land, {
  async run({ drydock, receipts, by }, { run: id, ...given }) {
    if (given.goal === 'apply' && by !== null) throw noWorkingTree()
    const goal: LandingGoal =
      given.goal === 'onto' ? { kind: given.goal, branch: given.branch, accepted: given.accept } : { kind: given.goal }
    await find(drydock, id)
    const anyway = await anywayOf(drydock, { id, goal: goal.kind, reason: given.anyway ?? null, by })
    const { run } = await readLandable(drydock, await receipts(), { id, goal: goal.kind, anyway })
    await refuseSecond(drydock, run.id)
    if (goal.kind === 'onto') await requireBranch(drydock, goal.branch)
    if (goal.kind === 'change') await drydock.openForge(await drydock.remotes.url('origin'), null)
    const name = randomUUID()
    const landing = landingMachine(name)
    const at = drydock.clock.now().toISOString()
    const asked = { kind: 'land', run: run.id, landing, goal, at, ...(anyway && { anyway }) } as const
    const handed = await handOver(drydock, `land/${name}`, asked)
    const isMade = handed !== 'applied' || (await reading(drydock, (records) => records.machineOf('landing', landing)))
    if (!isMade) throw second(run.id)
    return { run: run.id, landing, handed }
  },
})

function noWorkingTree(): DrydockError {
  return usage("The files of a hub are nobody's working tree.", 'Fetch the branch into your clone, and merge it there.')
}

async function refuseSecond(drydock: RecordSource, run: string): Promise<void> {
  const isUnderWay = await reading(drydock, async (records) => {
    const pending = await records.pendingCommands()
    if (pending.some(({ command }) => command.kind === 'land' && command.run === run)) return true
    return (await records.machines({ kind: 'landing', run })).some(isLanding)
  })
  if (isUnderWay) throw second(run)
}

async function requireBranch({ userRepository }: Pick<Installation, 'userRepository'>, name: string): Promise<void> {
  const { branch } = await userRepository.target(name)
  if (branch === null) throw noBranch(name)
}

function second(run: string): DrydockError {
  return done(`${run} is being landed already.`, 'Wait for its end. Nothing was asked for twice.')
}
