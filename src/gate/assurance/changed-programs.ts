import { isProgram } from '../../domain/gate/file-kind.ts'
import { limits } from '../../domain/limits.ts'
import type { ChangedFile } from '../../ports/history.ts'
import { type ComparingDeps, textAt } from '../findings/compared-files.ts'
import type { TwoTexts } from './hunks.ts'
import type { Trying } from './trying.ts'

interface ChangedPrograms {
  readonly programs: readonly TwoTexts[]
  /** Files that could not be read as text, or not completely. */
  readonly unread: readonly string[]
}

/** The changed sources that are program text, in their old and new versions. */
export async function changedPrograms(
  deps: ComparingDeps,
  { input, files, kindOf }: Pick<Trying, 'input' | 'files' | 'kindOf'>,
  signal: AbortSignal,
): Promise<ChangedPrograms> {
  const range = { from: input.base, to: input.commit, maxBytes: limits.gate.changeBytes }
  const own = files.filter((file) => kindOf(file.path) === 'source' && isProgram(file.path) && !isOnlyMoved(file))
  if (own.length === 0) return { programs: [], unread: [] }
  const diffs = diffsOf((await deps.history.diff(range)).text)
  const programs: TwoTexts[] = []
  const unread: string[] = []
  for (const { path, status, from = path } of own) {
    const [before, after] = await Promise.all([
      status === 'added' ? null : textAt(deps, { sha: input.base, path: from }, signal),
      status === 'deleted' ? null : textAt(deps, { sha: input.commit, path }, signal),
    ])
    const isWhole = status === 'added' || status === 'deleted'
    const diff = isWhole || before === after ? '' : diffs.get(path)
    const isRead = isWhole ? (before ?? after) !== null : before !== null && after !== null
    if (isRead && diff !== undefined && isText(before) && isText(after)) programs.push({ path, before, after, diff })
    else unread.push(path)
  }
  return { programs, unread }
}

const isOnlyMoved = ({ status, edited }: ChangedFile) => status === 'renamed' && edited !== true

/** A text that was not UTF-8 could not be written back. */
const isText = (text: string | null) => text === null || !text.includes('\uFFFD')

/**
 * The parts of a diff by the file's new name, or by its old name after its deletion. Files whose
 * names git quotes are left out.
 */
function diffsOf(diff: string): ReadonlyMap<string, string> {
  const parts = diff.split(/^(?=diff --git )/m)
  return new Map(
    parts.flatMap((part) => {
      const name = (side: string) => new RegExp(`^${side}/(.*?)\\t?$`, 'm').exec(part)?.[1]
      const path = name('\\+\\+\\+ b') ?? name('--- a')
      return path === undefined ? [] : [[path, part] as const]
    }),
  )
}
