import { addedLineNumbers, changedLines } from '../../domain/gate/changed-lines.ts'
import { isCode } from '../../domain/gate/code-syntax.ts'
import { mayBeDisguised } from '../../domain/gate/disguises.ts'
import { isKeptData } from '../../domain/gate/file-kind.ts'
import { listed, type Suspicion } from '../../domain/gate/gate-finding.ts'
import { maySuppress } from '../../domain/gate/suppressions.ts'
import { limits } from '../../domain/limits.ts'
import type { ChangedFile } from '../../ports/history.ts'
import { type ChangeComparison, type ComparingDeps, contentsOf, textAt } from './compared-files.ts'

/** A file that a change adds or rewrites, with its text. */
export interface ChangedText {
  readonly file: ChangedFile
  readonly text: string
  /** The old text; null for a new file, and for one that was too large. */
  before(): Promise<string | null>
  added(): Promise<AddedLines>
}

interface AddedLines {
  readonly diff: string
  readonly isAdded: (line: number) => boolean
}

interface ChangedTexts {
  readonly texts: readonly ChangedText[]
  /** Findings about code that could not be read. */
  readonly unread: readonly Suspicion[]
}

/**
 * Reads the texts for rules about words: all changed code, and other text to which the change may
 * add something relevant.
 */
export async function changedTexts(
  deps: ComparingDeps,
  compared: ChangeComparison,
  signal: AbortSignal,
): Promise<ChangedTexts> {
  const { history } = deps
  const { base, change } = compared
  const files = compared.files.filter(({ status }) => status !== 'deleted')
  const code = files.filter(({ path }) => isCode(path))
  const others = files.filter(({ path }) => !isCode(path))
  const named = others.filter(({ path }) => mayBeDisguised(path))
  const wanted = [...code, ...((await mayMatter(deps, compared)) ? others : named)].slice(0, limits.gate.files)
  if (wanted.length === 0) return { texts: [], unread: [] }
  const paths = new Set(wanted.map(({ path }) => path))
  const { files: most, textBytes: fileBytes, textsBytes: bytes } = limits.gate
  const isWanted = (path: string) => paths.has(path)
  const read = await history.texts(change.commit, { isWanted, files: most, bytes, fileBytes, signal })
  const texts = wanted.flatMap((file): readonly ChangedText[] => {
    const { path, from = path, status } = file
    const text = read.texts.get(path)
    if (text === undefined) return []
    const before = () =>
      status === 'added'
        ? Promise.resolve(null)
        : textAt(deps, { sha: base.commit, path: from, maxBytes: fileBytes }, signal)
    return [{ file, text, before, added: () => addedIn(deps, { ...compared, file }) }]
  })
  const regular = new Set(read.paths)
  const left = code.filter(({ path }) => regular.has(path) && !read.texts.has(path) && !isKeptData(path))
  return { texts, unread: left.length === 0 ? [] : [await unread(deps, { ...compared, files: left })] }
}

/** True if the change adds words that count in any text; one diff shows that. */
async function mayMatter({ history }: ComparingDeps, { base, change }: ChangeComparison): Promise<boolean> {
  const maxBytes = limits.gate.changeBytes
  const { text, truncated } = await history.diff({ from: base.commit, to: change.commit, maxBytes })
  if (truncated) return true
  const matters = (line: string) => mayBeDisguised(line) || maySuppress(line)
  return changedLines(text).some((line) => line.startsWith('+') && matters(line.slice(1)))
}

async function addedIn(
  { history }: ComparingDeps,
  { base, change, file: { path } }: ChangeComparison & { readonly file: ChangedFile },
): Promise<AddedLines> {
  const maxBytes = limits.gate.changeBytes
  const { text, truncated } = await history.diff({ from: base.commit, to: change.commit, path, maxBytes })
  const added = addedLineNumbers(text)
  return { diff: text, isAdded: (line) => truncated || added.has(line) }
}

async function unread(deps: ComparingDeps, compared: ChangeComparison): Promise<Suspicion> {
  const { files } = compared
  const [first] = files
  const isOne = files.length === 1 && first !== undefined
  const what = isOne ? `${first.path} is` : `${files.length} changed files of code are`
  const { textBytes, files: most } = limits.gate
  const bounds = `no text, larger than ${textBytes / 1_048_576} MiB, or beyond the first ${most} files`
  return {
    kind: 'unread',
    file: isOne ? first.path : '',
    claim: `${what} not read for early warnings, which is done by words: ${bounds}. Read the change yourself.`,
    evidence: listed(files.map(({ path, status }) => `${path} (${status})`)),
    identity: await contentsOf(deps, compared),
  }
}
