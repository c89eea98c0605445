import type { Git } from '../git.ts'
import { headerBytes, headerOf, type ReadObject } from './read-objects.ts'

/** Reads each object with a separate git process, for places where none can be kept running. */
export function oneByOne(git: Git, gitDir: string): ReadObject {
  return async (name, { maxBytes, signal }) => {
    const { stdout } = await git(['cat-file', '--batch', '-z'], {
      gitDir,
      signal,
      input: `${name}\0`,
      maxBytes: maxBytes + headerBytes,
      truncate: true,
    })
    const end = stdout.subarray(0, headerBytes).indexOf('\n')
    const about = end < 0 ? null : headerOf(stdout.toString('latin1', 0, end))
    if (about === null) return null
    const content = about.size > maxBytes ? null : stdout.subarray(end + 1, end + 1 + about.size)
    return { ...about, content }
  }
}
