import type { Drydock } from '../../compose.ts'
import type { Command } from '../../domain/command.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { RunRequest } from '../../domain/run/run.ts'

type Uncommitted = Pick<Extract<Command, { kind: 'start' }>, 'uncommitted'>

/**
 * The user's work that no commit has is not part of a Run, which is said before anything is paid.
 * DrydockError `apply_refused` where the result is to be put among changes to tracked files:
 * whether they would be overwritten would show only at the end.
 */
export async function uncommittedWork({ workspaces }: Drydock, request: RunRequest): Promise<Uncommitted> {
  if (request.kind !== 'task' && request.kind !== 'spec') return {}
  const { tracked, untracked } = await workspaces.uncommitted()
  const all = [...tracked, ...untracked]
  const files = all.slice(0, limits.uncommittedNames)
  if (request.kind === 'task' && request.apply && tracked.length > 0) {
    const named = tracked.slice(0, limits.uncommittedNames).join(', ')
    throw new DrydockError('apply_refused', `Files that git tracks have uncommitted changes: ${named}`, {
      todo: 'Commit them, or put them away: git stash. Without --apply the result is a branch, and they may stay.',
    })
  }
  return all.length === 0 ? {} : { uncommitted: { count: all.length, files } }
}
