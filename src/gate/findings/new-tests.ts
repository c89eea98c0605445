import { changedLines } from '../../domain/gate/changed-lines.ts'
import { isCode, isSameCode } from '../../domain/gate/code-syntax.ts'
import { declaredTests } from '../../domain/gate/declared-tests.ts'
import { testsByWords } from '../../domain/gate/kept/lost-tests.ts'
import { isC } from '../../domain/gate/modules/c-modules.ts'
import { limits } from '../../domain/limits.ts'
import { isSameProgram } from '../reach/same-program.ts'
import { type ChangeComparison, type ComparingDeps, diffOf, textAt } from './compared-files.ts'

/** A line that loads something is not a test, nor is a line without a word. */
const noTest = /^\+\s*(?:import\b|from\b|use\b|using\b|#include\b|(?:const|let|var)\b[^;]{0,200}\brequire\(|\W*$)/

/**
 * Tells if the change adds anything to one of its test files, apart from removals and formatting. A
 * helper that declares no test may hold new cases, or be reworded.
 */
export async function addsTests(
  deps: ComparingDeps,
  { base, change, files, tests }: Omit<ChangeComparison, 'config'> & { readonly tests: readonly string[] },
  signal: AbortSignal,
): Promise<'tests' | 'helpers' | null> {
  let found: 'helpers' | null = null
  const known = new Set<string>()
  for (const { path, from = path, status } of files.slice(0, limits.gate.files)) {
    if (status === 'added' || !isCode(from)) continue
    const text = await textAt(deps, { sha: base.commit, path: from }, signal)
    for (const { words } of text === null ? [] : testsByWords({ path: from, text })) known.add(words)
  }
  for (const file of files.filter(({ path }) => tests.includes(path))) {
    const { path, from = path } = file
    if (file.status === 'added') {
      const text = await textAt(deps, { sha: change.commit, path }, signal)
      const own = text === null ? [] : testsByWords({ path, text })
      // Tests that only moved are not new.
      if (own.length > 0 && own.every(({ words }) => known.has(words))) continue
      return 'tests'
    }
    const [before, after] = await Promise.all([
      textAt(deps, { sha: base.commit, path: from }, signal),
      textAt(deps, { sha: change.commit, path }, signal),
    ])
    if (before === null || after === null) return 'tests'
    if (isSameCode(before, after, path) || isSameProgram(path, before, after)) continue
    const lines = changedLines(await diffOf(deps, { base, change, file }))
    // An existing line is not new in another place, with another indent, or before a newline.
    const gone = new Set(lines.flatMap((line) => (line.startsWith('-') ? [line.slice(1).trim()] : [])))
    const isNew = (line: string) => line.startsWith('+') && !noTest.test(line) && !gone.has(line.slice(1).trim())
    if (!lines.some(isNew)) continue
    if (!isCode(path) || [before, after].some((text) => declaresTests(text, path))) return 'tests'
    found = 'helpers'
  }
  return found
}

const declaresTests = (text: string, path: string) =>
  declaredTests(text, path).length > 0 || (isC(path) && /^int\s+main\b/m.test(text))
