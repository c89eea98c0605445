import { type CheckedFiles, isCheckable } from '../../domain/gate/judges/checked-files.ts'
import { limits } from '../../domain/limits.ts'
import { isGreen } from '../../domain/verification/reruns.ts'
import type { TestReport } from '../../domain/verification/test-results.ts'
import type { CommandRecord } from '../../domain/verification/verdict.ts'
import type { Tracing } from './tracing.ts'

interface Ran {
  readonly commands: readonly CommandRecord[]
  readonly tests: ReadonlyMap<string, TestReport | null>
}

/**
 * The files that green steps without named tests were seen to read. A step that read too many files
 * is left out.
 */
export function checkedFiles({ steps, untraced }: Tracing, { commands, tests }: Ran): CheckedFiles {
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
