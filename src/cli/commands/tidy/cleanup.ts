import type { Installation } from '../../../app/installation.ts'
import { shellWord } from '../../../app/text/shell-word.ts'
import { type Branch, type JudgedBranch, judgeBranches } from '../../../app/views/own-branches.ts'
import { removeFolder } from '../../../compose.ts'
import { limits } from '../../../domain/limits.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'
import { inColumns } from '../../screen/columns.ts'
import { gc } from './gc.ts'
import { leftFolders } from './left-folders.ts'

interface CleanupOptions {
  readonly yes?: boolean
  readonly unmerged?: boolean
}

/**
 * Lists leftovers of Drydock in the repository and in temporary folders. With `--yes` removes them
 * and compacts the state.
 */
export async function cleanup(
  context: Context,
  args: readonly string[],
  options: CommonOptions & CleanupOptions,
): Promise<number> {
  const drydock = await open(context, options)
  const { yes = false } = options
  const branches = await judgeBranches(drydock, options)
  const since = drydock.clock.now().getTime() - limits.temporaryHours * 3_600_000
  const folders = await leftFolders(new Date(since))
  show(context, branches, folders)
  const going = branches.filter(({ goes }) => goes)
  context.output.emit({
    type: 'cleanup',
    done: yes,
    folders,
    branches: branches.map(({ branch: { name, sha }, goes, why }) => ({ name, sha, goes, why })),
  })
  if (!yes) {
    const line = `drydock cleanup${options.unmerged ? ' --unmerged' : ''} --yes`
    const what = going.length + folders.length > 0 ? 'what goes, and unneeded state' : 'unneeded state'
    context.output.note(`Nothing is removed yet. To remove ${what}:  ${line}`)
    return 0
  }
  for (const { branch } of going) await remove(context, drydock, branch)
  for (const folder of folders) await removeFolder(folder)
  return gc(context, args, options)
}

function show({ output }: Context, branches: readonly JudgedBranch[], folders: readonly string[]): void {
  if (output.json) return
  const rows = [
    ...branches.map(({ branch: { name, sha }, why }) => ({
      cells: [name, sha.slice(0, 12), why],
      tone: 'strong' as const,
    })),
    ...folders.map((folder) => ({ cells: [folder, '', 'goes: unused'], tone: 'strong' as const })),
  ]
  if (rows.length === 0) output.say('Drydock has no branches and no temporary folders here.')
  else output.say(inColumns(output.screen, { head: ['BRANCH OR FOLDER', 'COMMIT', ''], right: [], painted: 0 }, rows))
}

async function remove(
  { output }: Context,
  { userRepository }: Pick<Installation, 'userRepository'>,
  branch: Branch,
): Promise<void> {
  const back = `git branch ${shellWord(branch.name)} ${branch.sha}`
  if (await userRepository.removeBranch(branch)) output.note(`Removed ${branch.name}. To bring it back:  ${back}`)
  else output.note(`${branch.name} has changed since, so it stays.`)
}
