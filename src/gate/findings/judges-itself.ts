import { addedLineNumbers, changedPlaces } from '../../domain/gate/changed-lines.ts'
import { isCode, isSameCode } from '../../domain/gate/code-syntax.ts'
import { fileKind } from '../../domain/gate/file-kind.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { spokenIn } from '../../domain/gate/self-judging.ts'
import { limits } from '../../domain/limits.ts'
import type { ChangedFile } from '../../ports/history.ts'
import { type Compared, type ComparingDeps, contentsOf, diffOf, textAt } from './compared-files.ts'

/**
 * Sources to which the change added code that addresses the test runner, or the reader of the exit
 * code. This is an early warning, which a reviewer settles by reading one line.
 */
export async function inSources(
  deps: ComparingDeps,
  compared: Compared,
  signal: AbortSignal,
): Promise<readonly Suspicion[]> {
  const deciding = { inputs: compared.config.prepare.flatMap(({ inputs }) => inputs), named: new Set<string>() }
  const isSource = ({ path }: ChangedFile) =>
    isCode(path) && fileKind(path, deciding) === 'source' && compared.testsByUse?.get(path) !== 'sure'
  const files = compared.files.filter((file) => file.status !== 'deleted' && isSource(file))
  const found: Suspicion[] = []
  for (const file of files.slice(0, limits.gate.files)) {
    signal.throwIfAborted()
    found.push(...(await inSource(deps, { ...compared, file }, signal)))
  }
  const rest = files.slice(limits.gate.files)
  if (rest.length === 0) return found
  const claim = `${rest.length} more sources are changed than are looked at for what speaks to the test runner.`
  const identity = await contentsOf(deps, { ...compared, files: rest })
  const evidence = listed(rest.map(({ path, status }) => `${path} (${status})`))
  return [...found, { kind: 'judges_itself', file: '', claim, evidence, identity }]
}

async function inSource(
  deps: ComparingDeps,
  compared: Compared & { readonly file: ChangedFile },
  signal: AbortSignal,
): Promise<readonly Suspicion[]> {
  const { path, from = path } = compared.file
  const text = await textAt(deps, { sha: compared.change.commit, path }, signal)
  const spoken = text === null ? [] : spokenIn(text, path)
  if (text === null || spoken.length === 0) return []
  const before = await textAt(deps, { sha: compared.base.commit, path: from }, signal)
  if (before !== null && isSameCode(before, text, path)) return []
  // Support of tests may go on to speak as before, since the base's version is tried as well.
  const isSupport = before !== null && compared.testsByUse?.get(path) === 'likely'
  const known = new Set(isSupport ? spokenIn(before, from).map(({ what }) => what) : [])
  const diff = await diffOf(deps, compared)
  const added = addedLineNumbers(diff)
  const isAdded = (line: number) => added.has(line)
  const numbersOf = ({ firstLine, lastLine }: (typeof spoken)[number]) =>
    Array.from({ length: lastLine - firstLine + 1 }, (_, i) => firstLine + i)
  const said = spoken.filter((each) => !known.has(each.what) && numbersOf(each).some(isAdded))
  if (said.length === 0) return []
  const numbers = new Set(said.flatMap(numbersOf).filter(isAdded))
  const all = text.split('\n')
  const lines = [...numbers].toSorted((a, b) => a - b).map((number) => `+${all[number - 1] ?? ''}`)
  const what = [...new Set(said.map((each) => each.what))].join(', ')
  const claim = `${path} is no test, and speaks to whoever judges it: it ${what}.`
  const identity = [path, what, ...changedPlaces(diff, (line) => lines.includes(line))]
  return [{ kind: 'judges_itself', file: path, claim, evidence: listed(lines), identity }]
}
