import type { BlobStanding } from '../../ports/blobs.ts'

/** The message about files that are not uploaded yet; null if nothing prevents the upload. */
export function describeStanding({ waiting, problem, since }: BlobStanding, place: string): string | null {
  if (problem === null) return null
  const files = waiting === 1 ? 'The files of 1 verification wait' : `The files of ${waiting} verifications wait`
  const what = waiting === 0 ? 'Dependency layers wait' : files
  return `${what} to be kept at ${place}, since ${since ?? 'now'}: ${problem}`
}
