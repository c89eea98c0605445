import { DrydockError } from './drydock-error.ts'

/** True if a disk had no space left for a write: bytes, files, or the user's quota of them. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof DrydockError && error.code === 'disk_full') return true
  if ('code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')) return true
  return (error instanceof AggregateError && error.errors.some(isDiskFull)) || isDiskFull(error.cause)
}

/**
 * Returns a DrydockError `disk_full` for a system error that says so, and any other error
 * unchanged. The write has failed already, so this is called where errors are reported.
 */
export function withDiskFull(error: unknown): unknown {
  if (error instanceof DrydockError || !(error instanceof Error) || !isDiskFull(error)) return error
  return new DrydockError('disk_full', `There is no space left on the disk: ${error.message}.`, {
    todo: 'Free some space, or files (inodes), and run the same command again. To continue a run that had begun: drydock resume',
    cause: error,
  })
}
