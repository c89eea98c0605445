import { DrydockError } from './drydock-error.ts'

/** Whether a disk had no space left for a write: bytes, files, or the user's part of them. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof DrydockError && error.code === 'disk_full') return true
  if ('code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')) return true
  return (error instanceof AggregateError && error.errors.some(isDiskFull)) || isDiskFull(error.cause)
}

/**
 * The same error, or for one of the system that says that a disk is full the DrydockError
 * `disk_full`. Whatever was written has failed there, so this is asked where errors are told.
 */
export function withDiskFull(error: unknown): unknown {
  if (error instanceof DrydockError || !(error instanceof Error) || !isDiskFull(error)) return error
  return new DrydockError('disk_full', `There is no space left on the disk: ${error.message}.`, {
    todo: 'Free some space, or files (inodes), and run the same command again. To continue a run that had begun: drydock resume',
    cause: error,
  })
}
