import { posix } from 'node:path'
import { changedPlaces } from '../../domain/gate/changed-lines.ts'
import { isCode, isSameCode } from '../../domain/gate/code-syntax.ts'
import { fileKind } from '../../domain/gate/file-kind.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { programsIn } from '../../domain/gate/manifests/package-manifest.ts'
import { isOfWords, type RunnerMention, spokenIn } from '../../domain/gate/self-judging.ts'
import type { ChangedFile } from '../../ports/history.ts'
import type { ChangedText } from './changed-texts.ts'
import { type ChangeComparison, type ComparingDeps, textAt } from './compared-files.ts'

/**
 * Sources to which the change added code that addresses the test runner, or the reader of the exit
 * code. This early warning can be settled by reading one line.
 */
export async function inSources(
  deps: ComparingDeps,
  compared: ChangeComparison & { readonly texts: readonly ChangedText[] },
  signal: AbortSignal,
): Promise<readonly Suspicion[]> {
  const { config, base, change, testsByUse } = compared
  const deciding = { inputs: config.prepare.flatMap(({ inputs }) => inputs), named: new Set<string>() }
  const isSource = ({ path }: ChangedFile) =>
    isCode(path) && fileKind(path, deciding) === 'source' && testsByUse?.get(path) !== 'sure'
  const texts = compared.texts.filter(({ file }) => isSource(file))
  if (texts.length === 0) return []
  const [before, now] = await Promise.all(
    [base, change].map(({ commit }) => programsOf(deps, { ...config, commit }, signal)),
  )
  const found: Suspicion[] = []
  for (const each of texts) {
    const { path, status } = each.file
    // A new manifest entry does not turn an existing source into a program.
    const isStarted = (status === 'added' ? now : before)?.has(path) === true
    const isSupport = testsByUse?.get(path) === 'likely'
    found.push(...(await inSource(each, { isSupport, isStarted })))
  }
  return found
}

async function programsOf(
  deps: ComparingDeps,
  { commit: sha, package: folder }: { readonly commit: string; readonly package: string },
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const read = [...new Set(['package.json', posix.join(folder, 'package.json')])].map(async (path) => {
    const text = await textAt(deps, { sha, path }, signal)
    return programsIn(text ?? '').map((each) => posix.join(posix.dirname(path), each))
  })
  return new Set((await Promise.all(read)).flat())
}

interface Source {
  /** True if the source may be support of tests, whose old version is tried as well. */
  readonly isSupport: boolean
  /** True if a manifest names the source as a program. */
  readonly isStarted: boolean
}

async function inSource({ file, text, before, added }: ChangedText, source: Source): Promise<readonly Suspicion[]> {
  const { path, from = path } = file
  const spoken = spokenIn(text, path, source)
  if (spoken.length === 0) return []
  const old = await before()
  if (old !== null && isSameCode(old, text, path)) return []
  const known = old === null ? [] : spokenIn(old, from, source)
  const countOf = (all: readonly RunnerMention[], what: string) => all.filter((each) => each.what === what).length
  // The source may continue to read and name the same things. Support of tests may also speak as
  // before.
  const isKnown = ({ what }: RunnerMention) =>
    source.isSupport
      ? known.some((each) => each.what === what)
      : isOfWords(what) && countOf(spoken, what) <= countOf(known, what)
  const { diff, isAdded } = await added()
  const numbersOf = ({ firstLine, lastLine }: RunnerMention) =>
    Array.from({ length: lastLine - firstLine + 1 }, (_, i) => firstLine + i)
  const said = spoken.filter((each) => !isKnown(each) && numbersOf(each).some(isAdded))
  if (said.length === 0) return []
  const numbers = new Set(said.flatMap(numbersOf).filter(isAdded))
  const all = text.split('\n')
  const lines = [...numbers].toSorted((a, b) => a - b).map((number) => `+${all[number - 1] ?? ''}`)
  const what = [...new Set(said.map((each) => each.what))].join(', ')
  const claim = `${path} is no test, and speaks to whoever judges it: it ${what}. This is an early warning by words.`
  const identity = [path, what, ...changedPlaces(diff, (line) => lines.includes(line))]
  return [{ kind: 'judges_itself', file: path, claim, evidence: listed(lines), identity }]
}
