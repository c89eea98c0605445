import type { Command } from '../../domain/command.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { RunRequest } from '../../domain/run/run.ts'
import type { Installation } from '../installation.ts'

type UncommittedOption = Pick<Extract<Command, { kind: 'start' }>, 'uncommitted'>

/**
 * The user's uncommitted work. It is not part of a Run, and the user hears of it while nothing has
 * cost anything. Throws DrydockError `apply_refused` when the result is to be applied over changes
 * to tracked files, since conflicts would show only at the end.
 */
export async function uncommittedWork(
  drydock: Pick<Installation, 'userRepository' | 'beside'>,
  request: RunRequest,
): Promise<UncommittedOption> {
  if (request.kind !== 'task' && request.kind !== 'spec') return {}
  const { tracked, untracked } = await drydock.userRepository.uncommitted()
  const all = [...tracked, ...untracked, ...(await inOthers(drydock, request))]
  const files = all.slice(0, limits.uncommittedNames)
  if (request.kind === 'task' && request.apply && tracked.length > 0) {
    const named = tracked.slice(0, limits.uncommittedNames).join(', ')
    throw new DrydockError('apply_refused', `Files that git tracks have uncommitted changes: ${named}`, {
      todo: 'Commit them, or put them away: git stash. Without --apply they may stay, because the result is a branch.',
    })
  }
  return all.length === 0 ? {} : { uncommitted: { count: all.length, files } }
}

/**
 * Uncommitted work in the further repositories of a spec, prefixed with each name. A clone made by
 * Drydock has no working files.
 */
async function inOthers(drydock: Pick<Installation, 'beside'>, request: RunRequest): Promise<readonly string[]> {
  const [, ...others] = request.kind === 'spec' ? (request.repositories ?? []) : []
  const found = others.map(async ({ name, path, url }) => {
    if (url !== undefined) return []
    const { tracked, untracked } = await (await drydock.beside(path)).userRepository.uncommitted()
    return [...tracked, ...untracked].map((file) => `${name}: ${file}`)
  })
  return (await Promise.all(found)).flat()
}
