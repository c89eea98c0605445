import { applyRefused } from '../../../domain/apply-refused.ts'
import type { Installation } from '../../installation.ts'
import { type Landable, revisionOf } from './landable.ts'

/**
 * Writes the verified changes into the user's working tree, uncommitted, and returns the changed
 * files. Idempotent. Throws DrydockError `apply_refused` if that would overwrite changes of the
 * user; then no file was touched.
 */
export async function landInTree(
  { userRepository }: Pick<Installation, 'userRepository'>,
  landable: Landable,
): Promise<readonly string[]> {
  const { run, sha, gone } = landable
  const { base } = run.data
  if (base === null) throw new Error(`${run.id} has a result and no base`)
  await userRepository.updateMirror(AbortSignal.timeout(updateMs))
  const result = await userRepository.applyToUserTree(base, sha)
  if (result.applied) return result.files
  const known = `${gone === undefined ? 'branch' : 'commit'} ${revisionOf(landable)}`
  throw applyRefused(result, `Nothing was applied. Commit or stash them, or use the ${known}.`)
}

const updateMs = 600_000
