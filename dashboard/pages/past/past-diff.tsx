import { useMemo, useState } from 'react'
import { Preformatted } from '../../parts/preformatted.tsx'
import '../../styles/review.css'
import { type DiffFile, diffFiles } from '../../parts/diff/diff-files.ts'
import { DiffList, type Goal } from '../../parts/diff/diff-list.tsx'
import { type Row, rowsOf } from '../../parts/diff/diff-rows.ts'
import { useExpansions } from '../../parts/diff/expansions.ts'
import { FileHead } from '../../parts/diff/file-head.tsx'
import { FileTree } from '../../parts/diff/file-tree.tsx'
import { Problem } from '../../parts/notice.tsx'
import { useWide } from '../../parts/review/wide.ts'

interface Props {
  readonly run: string
  readonly story: string
  readonly sha: string
  readonly diff: string
}

/** A read-only diff without the current comments. */
export function PastDiff({ run, story, sha, diff }: Props) {
  const found = useMemo(() => diffFiles(diff, new Map()), [diff])
  const expansions = useExpansions({ run, story, sha })
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const [goal, setGoal] = useState<Goal | null>(null)
  const isWide = useWide()
  if (found === null)
    return (
      <Preformatted label="Diff" wrap={false}>
        {diff}
      </Preformatted>
    )
  const files = found.map((file) => expansions.of(file)?.file ?? file)
  const toggle = ({ id }: DiffFile) => {
    const next = new Set(closed)
    if (!next.delete(id)) next.add(id)
    setClosed(next)
  }
  const rows = files.flatMap((file): readonly Row[] => {
    const head = { kind: 'file', key: `file ${file.id}`, file } as const
    if (closed.has(file.id)) return [head]
    const hasContext = file.isFile && !file.isBinary
    return [head, ...rowsOf(file, { isSplit: false, hasContext, total: expansions.of(file)?.total ?? null })]
  })
  const hasTree = isWide && files.length > 1
  return (
    <div className={`review ${hasTree ? 'with-tree' : ''}`}>
      {hasTree && (
        <FileTree
          files={files}
          isViewed={() => false}
          said={() => 0}
          go={(file) => setGoal({ key: `file ${file.id}`, n: Math.random() })}
        />
      )}
      <div className="review-main">
        {expansions.problem !== null && <Problem error={expansions.problem} />}
        <DiffList
          rows={rows}
          sides={[]}
          marked={[]}
          pick={() => {}}
          expand={expansions.expand}
          goal={goal}
          isHeld={() => false}
          talk={() => null}
          head={(file) => (
            <FileHead
              file={file}
              isOpen={!closed.has(file.id)}
              isViewed={false}
              toggle={() => toggle(file)}
              view={null}
              say={null}
              link={null}
            />
          )}
        />
      </div>
    </div>
  )
}
