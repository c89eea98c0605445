import { type CheckedFiles, isCheckable } from '../../domain/gate/judges/checked-files.ts'
import { limits } from '../../domain/limits.ts'
import { isGreen } from '../../domain/verification/reruns.ts'
import type { Found } from '../run-tree.ts'
import type { Tracing } from './tracing.ts'

/**
 * The files that green steps without named tests were seen to read. A step that read more files
 * than are kept is left out.
 */
export function checkedFiles(
  { steps, untraced }: Tracing,
  { commands, tests }: Pick<Found, 'commands' | 'tests'>,
): CheckedFiles {
  if (untraced !== null) return {}
  const checkers = commands.filter((ran) => {
    const report = tests.get(ran.name) ?? null
    return (report?.tests.length ?? 0) === 0 && isGreen(ran, report)
  })
  return Object.fromEntries(
    checkers.flatMap(({ name }): readonly (readonly [string, readonly string[]])[] => {
      const read = [...(steps.get(name)?.opened.keys() ?? [])].filter(isCheckable)
      return steps.has(name) && read.length <= limits.trace.checked ? [[name, read.toSorted()]] : []
    }),
  )
}
