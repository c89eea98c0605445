import { DrydockError } from './drydock-error.ts'

interface ApplyConflict {
  /** Paths that block the change. */
  readonly conflicts: readonly string[]
  /** The blocking paths that a sparse checkout leaves out. */
  readonly leftOut?: readonly string[]
}

/** At most this many blocking paths are listed. */
const named = 10

/** The reason why a change was not put into the working tree. `todo` says where the change is. */
export function applyRefused({ conflicts, leftOut = [] }: ApplyConflict, todo: string): DrydockError {
  const local = conflicts.filter((path) => !leftOut.includes(path))
  const some = (paths: readonly string[]) => paths.slice(0, named).join(', ')
  if (local.length > 0)
    return new DrydockError('apply_refused', `Local changes would be overwritten: ${some(local)}`, { todo })
  const message = `The change deletes files that your sparse checkout leaves out: ${some(leftOut)}`
  return new DrydockError('apply_refused', message, {
    todo: `${todo} Or check them out first: git sparse-checkout add DIR`,
  })
}
