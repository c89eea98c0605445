import { isProgram } from '../file-kind.ts'
import { guardedBy } from '../guarded-file.ts'
import { stemOf } from '../modules/paths.ts'

/** The program files that steps without named tests read, by step name. */
export type CheckedFiles = Readonly<Record<string, readonly string[]>>

const style = /\.(?:css|scss|sass|less|styl|html?|sql|graphql|proto|tf|ya?ml)$/i

/** True if a checker that stops reading the file stops checking it. */
export function isCheckable(path: string): boolean {
  const isInstalled = /(?:^|\/)(?:node_modules|site-packages|\.git)\//.test(path)
  return !isInstalled && (isProgram(path) || style.test(path)) && guardedBy(path, []) === null
}

interface FileMove {
  readonly path: string
  readonly from?: string | undefined
  readonly status: 'added' | 'modified' | 'deleted' | 'renamed'
}

interface CheckedTrees {
  readonly before: CheckedFiles
  readonly now: CheckedFiles
  readonly files: readonly FileMove[]
  /** Added files with code from files that the change deletes or shortens, by their path. */
  readonly takenFrom: ReadonlyMap<string, string>
}

/** A file that a step read on the base commit, and does not read with the change. */
export interface UnreadFile {
  readonly step: string
  /** The path with the change. */
  readonly path: string
  /** The path on the base commit. */
  readonly from: string
}

/**
 * The files that steps stopped reading although they still exist, perhaps in another place. A file
 * that has moved may be read by as many other steps.
 */
export function unreadFiles({ before, now, files, takenFrom }: CheckedTrees): readonly UnreadFile[] {
  const deleted = new Set(files.flatMap(({ path, status }) => (status === 'deleted' ? [path] : [])))
  const renamed = new Map(
    files.flatMap(({ path, from, status }) => (status === 'renamed' && from ? [[from, path]] : [])),
  )
  const countIn = (lists: CheckedFiles, path: string) =>
    Object.values(lists).filter((list) => list.includes(path)).length
  return Object.entries(before).flatMap(([step, list]) => {
    const read = now[step]
    if (read === undefined) return []
    const known = new Set(read)
    const had = new Set(list)
    const places = [
      ...list.map((from) => ({ from, path: renamed.get(from) ?? from })),
      ...[...takenFrom].flatMap(([path, from]) => (had.has(from) ? [{ from, path }] : [])),
    ]
    return places.flatMap(({ from, path }) => {
      if (known.has(path) || deleted.has(path)) return []
      return path !== from && countIn(now, path) >= countIn(before, from) ? [] : [{ step, path, from }]
    })
  })
}

interface Text {
  readonly path: string
  readonly text: string
}

/** A shorter line does not show where it comes from. */
const leastChars = 12
const leastLines = 3

/**
 * The source of most lines of an added file: a deleted file of the same name, or a file that has
 * lost half of the new one's lines. Null for new code.
 */
export function sourceOf(
  added: Text,
  { deleted, shortened }: { readonly deleted: readonly Text[]; readonly shortened: readonly Text[] },
): string | null {
  const named = deleted.find(({ path }) => stemOf(path) === stemOf(added.path))
  if (named !== undefined) return named.path
  const lines = telling(added.text)
  if (lines.length < leastLines) return null
  for (const { path, text } of [...deleted, ...shortened]) {
    const lost = new Set(telling(text))
    if (lines.filter((line) => lost.has(line)).length * 2 >= lines.length) return path
  }
  return null
}

function telling(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length >= leastChars && !/^(?:import|from|#|\/\/|\*)/.test(line))
}
