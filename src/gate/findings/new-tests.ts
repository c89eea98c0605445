import { changedLines } from '../../domain/gate/changed-lines.ts'
import { isSameCode } from '../../domain/gate/code-syntax.ts'
import { isSameProgram } from '../reach/same-program.ts'
import { type Compared, type ComparingDeps, diffOf, textAt } from './compared-files.ts'

/** What loads something is no test, nor is a line without a word. */
const noTest = /^\+\s*(?:import\b|from\b|use\b|using\b|#include\b|(?:const|let|var)\b[^;]{0,200}\brequire\(|\W*$)/

/**
 * Whether the change adds anything to one of its test files, rather than takes something away or
 * formats it.
 */
export async function addsTests(
  deps: ComparingDeps,
  { base, change, files, tests }: Omit<Compared, 'config'> & { readonly tests: readonly string[] },
  signal: AbortSignal,
): Promise<boolean> {
  for (const file of files.filter(({ path }) => tests.includes(path))) {
    if (file.status === 'added') return true
    const { path, from = path } = file
    const [before, after] = await Promise.all([
      textAt(deps, { sha: base.commit, path: from }, signal),
      textAt(deps, { sha: change.commit, path }, signal),
    ])
    if (before === null || after === null) return true
    if (isSameCode(before, after, path) || isSameProgram(path, before, after)) continue
    const lines = changedLines(await diffOf(deps, { base, change, file }))
    // A line that was there is not new in another place, with another indent, or before a newline.
    const gone = new Set(lines.flatMap((line) => (line.startsWith('-') ? [line.slice(1).trim()] : [])))
    const isNew = (line: string) => line.startsWith('+') && !noTest.test(line) && !gone.has(line.slice(1).trim())
    if (lines.some(isNew)) return true
  }
  return false
}
