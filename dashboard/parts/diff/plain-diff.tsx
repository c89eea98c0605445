import { useMemo, useState } from 'react'
import { Preformatted } from '../preformatted.tsx'
import { type DiffFile, diffFiles } from './diff-files.ts'
import { DiffList } from './diff-list.tsx'
import { type Row, rowsOf } from './diff-rows.ts'
import { FileHead } from './file-head.tsx'

const known: ReadonlyMap<string, DiffFile> = new Map()
/** Only the patch exists: there are neither surrounding lines nor both sides of a file. */
const shown = { isSplit: false, hasContext: false, total: null } as const

/** A read-only patch without comments. */
export function PlainDiff({ diff }: { readonly diff: string }) {
  const files = useMemo(() => diffFiles(diff, known), [diff])
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const rows = useMemo(
    () =>
      files?.flatMap((file): readonly Row[] => [
        { kind: 'file', key: `file ${file.id}`, file },
        ...(closed.has(file.id) ? [] : rowsOf(file, shown)),
      ]),
    [files, closed],
  )
  if (rows === undefined)
    return (
      <Preformatted label="Diff" wrap={false}>
        {diff}
      </Preformatted>
    )
  return (
    <DiffList
      rows={rows}
      sides={[]}
      marked={[]}
      pick={ignore}
      expand={ignore}
      goal={null}
      isHeld={() => false}
      talk={() => null}
      head={(file) => (
        <FileHead
          file={file}
          isOpen={!closed.has(file.id)}
          isViewed={false}
          toggle={() =>
            setClosed(new Set(closed.has(file.id) ? [...closed].filter((id) => id !== file.id) : [...closed, file.id]))
          }
          view={null}
          say={null}
          link={null}
        />
      )}
    />
  )
}

function ignore(): void {}
