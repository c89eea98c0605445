import { limits } from '../../domain/limits.ts'
import type { ChangedFile } from '../../ports/history.ts'
import { type ComparingDeps, textAt } from '../findings/compared-files.ts'
import { isRenamedProgram } from '../reach/same-program.ts'
import type { VerifyInput } from '../verification-place.ts'

interface Change {
  readonly input: Pick<VerifyInput, 'base' | 'commit'>
  readonly files: readonly ChangedFile[]
  /** Changed sources that apparently only tests load. */
  readonly likely: ReadonlySet<string>
}

/**
 * Changed sources that apparently only tests load, and that differ in names alone: their own, or
 * those that they declare. The base's version does the same, and has the names that old tests use.
 */
export async function renamedSupport(
  deps: ComparingDeps,
  { input, files, likely }: Change,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const asked = files.filter(({ path, from = path }) => likely.has(from)).slice(0, limits.gate.files)
  // Git detects no rename if a short file has other names inside, too.
  const added = files.filter(({ status }) => status === 'added').slice(0, limits.gate.files)
  for (const file of asked) {
    const { path, from = path } = file
    const before = await textAt(deps, { sha: input.base, path: from }, signal)
    if (before === null) continue
    for (const { path: now } of file.status === 'deleted' ? added : [file]) {
      if (extensionOf(now) !== extensionOf(from)) continue
      const after = await textAt(deps, { sha: input.commit, path: now }, signal)
      if (after === null || !isRenamedProgram(now, before, after)) continue
      found.add(from)
      // Two files of a Go package cannot declare the same name.
      if (now.endsWith('.go')) found.add(now)
      break
    }
  }
  return found
}

const extensionOf = (path: string) => path.slice(path.lastIndexOf('.'))
