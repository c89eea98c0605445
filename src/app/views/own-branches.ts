import { isUnresolved } from '../../domain/run/retention.ts'
import { isEnded } from '../../domain/run/run.ts'
import type { Installation } from '../installation.ts'
import { reading } from '../reading.ts'
import type { RecordSource } from '../state-access.ts'

export type Branch = Awaited<ReturnType<Installation['userRepository']['ownBranches']>>[number]

/** A branch of Drydock, and whether it is still needed. */
export interface JudgedBranch {
  readonly branch: Branch
  readonly goes: boolean
  /** The reason why the branch is deleted or kept. */
  readonly why: string
}

/**
 * Decides which branches to delete: those whose commit is also elsewhere, or with the option all
 * unmerged ones. A branch in use is always kept.
 */
export async function judgeBranches(
  drydock: Pick<Installation, 'userRepository'> & RecordSource,
  { unmerged = false }: { readonly unmerged?: boolean },
): Promise<readonly JudgedBranch[]> {
  const runs = await reading(drydock, (records) => records.machines({ kind: 'run' }))
  const open = runs.filter((run) => !isEnded(run.state) || isUnresolved(run))
  return (await drydock.userRepository.ownBranches()).map((branch) => {
    const stays = (why: string) => ({ branch, goes: false, why })
    const user = open.find(({ data }) => data.branch === branch.name)
    if (branch.checkedOut) return stays('stays: it is checked out')
    if (user !== undefined) return stays(`stays: ${user.id} still needs it`)
    if (branch.elsewhere !== null) return { branch, goes: true, why: `goes: merged, ${branch.elsewhere} has it` }
    if (unmerged) return { branch, goes: true, why: 'goes: unmerged, alone holds its commits' }
    return stays('stays: alone holds its commits (--unmerged removes it)')
  })
}
