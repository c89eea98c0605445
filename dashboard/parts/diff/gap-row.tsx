import type { DiffFile } from './diff-files.ts'
import type { Gap } from './diff-rows.ts'
import { type Expansions, partsOf } from './expansions.ts'

interface Props {
  readonly file: DiffFile
  readonly gap: Gap | null
  /** Git's own header line: the numbers of the next lines, and the code around them. */
  readonly head: string
  readonly expand: Expansions['expand']
}

/** A gap of omitted lines, with buttons to show them. */
export function GapRow({ file, gap, head, expand }: Props) {
  const [, place = '', about = ''] = /^@@ (.*?) @@ ?(.*)$/s.exec(head) ?? []
  return (
    <div className="diff-hunk">
      {gap !== null && (
        <span className="diff-more">
          <span className="visually-hidden">Show of {file.path}: </span>
          {partsOf(gap, head === '').map(({ title, lines }) => (
            <button key={title} type="button" onClick={() => expand(file, lines)}>
              {title}
            </button>
          ))}
        </span>
      )}
      <span className="diff-about">{about === '' ? place : about}</span>
    </div>
  )
}
