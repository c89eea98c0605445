import { type Drydock, removeFolder } from '../../compose.ts'
import { isUnresolved } from '../../domain/run/retention.ts'
import { isEnded, type Run } from '../../domain/run/run.ts'
import type { CommonOptions, Context } from '../context.ts'
import { open } from '../open.ts'
import { reading } from '../reading.ts'
import { inColumns } from '../screen/columns.ts'
import { shellWord } from '../shell-word.ts'
import { gc } from './gc.ts'
import { leftFolders } from './left-folders.ts'

interface CleanupOptions {
  readonly yes?: boolean
  readonly unmerged?: boolean
}

type Branch = Awaited<ReturnType<Drydock['workspaces']['ownBranches']>>[number]

interface Judged {
  readonly branch: Branch
  readonly goes: boolean
  /** Why it goes or stays. */
  readonly why: string
}

/**
 * Shows what Drydock has left in the repository and among the temporary folders; with `--yes`
 * removes it, and makes the state small.
 */
export async function cleanup(
  context: Context,
  args: readonly string[],
  options: CommonOptions & CleanupOptions,
): Promise<number> {
  const drydock = await open(context, options)
  const { yes = false } = options
  const branches = await judgeBranches(drydock, options)
  const folders = await leftFolders(drydock.clock.now())
  show(context, branches, folders)
  const going = branches.filter(({ goes }) => goes)
  context.output.emit({
    ...{ type: 'cleanup', done: yes, folders },
    branches: branches.map(({ branch: { name, sha }, goes, why }) => ({ name, sha, goes, why })),
  })
  if (!yes) {
    const line = `drydock cleanup${options.unmerged ? ' --unmerged' : ''} --yes`
    context.output.note(`Nothing is removed yet. Remove it, and what the state no longer needs:  ${line}`)
    return 0
  }
  for (const { branch } of going) await remove(context, drydock, branch)
  for (const folder of folders) await removeFolder(folder)
  return gc(context, args, options)
}

/**
 * A branch goes when its commit is also elsewhere, or all that is unmerged is to go; never while it
 * is used.
 */
async function judgeBranches(drydock: Drydock, { unmerged = false }: CleanupOptions): Promise<readonly Judged[]> {
  const runs = await reading(drydock, async (records) => (await records?.machines({ kind: 'run' })) ?? [])
  const open = (runs as readonly Run[]).filter((run) => !isEnded(run.state) || isUnresolved(run))
  return (await drydock.workspaces.ownBranches()).map((branch) => {
    const stays = (why: string) => ({ branch, goes: false, why })
    const user = open.find(({ data }) => data.branch === branch.name)
    if (branch.checkedOut) return stays('stays: it is checked out')
    if (user !== undefined) return stays(`stays: ${user.id} is not done with it`)
    if (branch.elsewhere !== null) return { branch, goes: true, why: `goes: merged, ${branch.elsewhere} has it` }
    if (unmerged) return { branch, goes: true, why: 'goes: unmerged, found nowhere else' }
    return stays('stays: found nowhere else (--unmerged removes it)')
  })
}

function show({ output }: Context, branches: readonly Judged[], folders: readonly string[]): void {
  if (output.json) return
  const rows = [
    ...branches.map(({ branch: { name, sha }, why }) => ({
      cells: [name, sha.slice(0, 12), why],
      tone: 'strong' as const,
    })),
    ...folders.map((folder) => ({ cells: [folder, '', 'goes: nobody uses it'], tone: 'strong' as const })),
  ]
  if (rows.length === 0) output.say('There are no branches and no temporary folders of Drydock.')
  else output.say(inColumns(output.screen, { head: ['BRANCH OR FOLDER', 'COMMIT', ''], right: [], painted: 0 }, rows))
}

async function remove({ output }: Context, { workspaces }: Drydock, branch: Branch): Promise<void> {
  const back = `git branch ${shellWord(branch.name)} ${branch.sha}`
  if (await workspaces.removeBranch(branch)) output.note(`Removed ${branch.name}. It is back with:  ${back}`)
  else output.note(`${branch.name} has changed meanwhile, and stays.`)
}
