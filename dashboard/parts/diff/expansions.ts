import { useCallback, useState } from 'react'
import { insertHunk, textLinesToHunk } from 'react-diff-view'
import type { Lines } from '../../../src/api/lines.ts'
import { apiPath, get } from '../../data/client.ts'
import type { DiffFile } from './diff-files.ts'
import type { Gap } from './diff-rows.ts'

/** A file with fetched lines around its changes. */
export interface Expansion {
  readonly file: DiffFile
  /** The file's number of lines. */
  readonly total: number
}

/** The source of omitted lines: a Run or one of its stories, and the shown commit. */
export interface Source {
  readonly run: string
  readonly story: string | null
  readonly sha: string
}

export interface Expansions {
  /** The fetched lines of a file's current version; undefined if there are none. */
  readonly of: (file: DiffFile) => Expansion | undefined
  readonly expand: (
    file: DiffFile,
    lines: { readonly start: number; readonly end: number; readonly offset: number },
  ) => void
  readonly problem: unknown
}

const mostAtOnce = 2_000

/** Lines that a diff omits, fetched on demand and dropped when their file changes. */
export function useExpansions(source: Source | null): Expansions {
  const [files, setFiles] = useState<ReadonlyMap<string, Expansion>>(new Map())
  const [problem, setProblem] = useState<unknown>(null)
  const of = useCallback(
    (file: DiffFile) => {
      const found = files.get(file.id)
      return found?.file.text === file.text ? found : undefined
    },
    [files],
  )
  const expand: Expansions['expand'] = (file, { start, end, offset }) => {
    if (source === null) return
    const { run, story, sha } = source
    const last = Math.min(end, start + mostAtOnce - 1)
    const asked = { sha, path: file.path, start: String(start), end: String(last), ...(story !== null && { story }) }
    get<Lines>(`${apiPath('runs', run, 'lines')}?${new URLSearchParams(asked)}`).then(
      ({ lines, total }) => {
        setProblem(null)
        setFiles((before) => {
          const known = before.get(file.id)
          const now = known?.file.text === file.text ? known.file : file
          const hunk = textLinesToHunk([...lines], start + offset, start)
          const hunks = hunk === null || lines.length === 0 ? now.hunks : insertHunk(now.hunks, hunk)
          return new Map(before).set(file.id, { file: { ...now, hunks }, total })
        })
      },
      (error: unknown) => setProblem(error),
    )
  }
  return { of, expand, problem }
}

/** The number of lines that one click shows. */
export const step = 20

/** The parts of a gap that can be shown, in words. */
export function partsOf({ start, end, offset }: Gap, isLast: boolean) {
  const part = (title: string, from: number, to: number) => ({ title, lines: { start: from, end: to, offset } })
  if (end === null)
    return [part(`↓ ${step} lines`, start, start + step - 1), part('The rest', start, start + mostAtOnce - 1)]
  const count = end - start + 1
  if (count <= 2 * step) return [part(count === 1 ? '1 line' : `${count} lines`, start, end)]
  const down = part(`↓ ${step} lines`, start, start + step - 1)
  const up = part(`↑ ${step} lines`, end - step + 1, end)
  const all = count <= mostAtOnce ? [part(`All ${count} lines`, start, end)] : []
  return [...(start === 1 ? [] : [down]), ...(isLast ? [] : [up]), ...all]
}
