import { countAssertions } from '../../domain/gate/assertions.ts'
import { changedLines } from '../../domain/gate/changed-lines.ts'
import { isTestFile } from '../../domain/story/plan.ts'
import { type ChangeComparison, type ComparingDeps, diffOf } from './compared-files.ts'

/**
 * The number of assertions that each test file has lost to another one of the change, unchanged.
 */
export async function movedAssertions(
  deps: ComparingDeps,
  compared: ChangeComparison,
): Promise<ReadonlyMap<string, number>> {
  const lost = new Map<string, readonly string[]>()
  const gained = new Map<string, number>()
  for (const file of compared.files.filter(({ path }) => isTestFile(path))) {
    const lines = changedLines(await diffOf(deps, { ...compared, file }))
    const of = (sign: string) =>
      lines.flatMap((line) =>
        line.startsWith(sign) && countAssertions(line.slice(1), file.path) > 0 ? [line.slice(1).trim()] : [],
      )
    const added = of('+')
    lost.set(file.path, without(of('-'), added))
    for (const line of without(added, of('-'))) gained.set(line, (gained.get(line) ?? 0) + 1)
  }
  const take = (line: string) => {
    const left = gained.get(line) ?? 0
    if (left > 0) gained.set(line, left - 1)
    return left > 0
  }
  return new Map([...lost].map(([path, lines]) => [path, lines.filter(take).length]))
}

/** The lines that remain after each of the others has cancelled an equal one. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const count = left.get(line) ?? 0
    if (count > 0) left.set(line, count - 1)
    return count === 0
  })
}
