import { memo, type ReactNode } from 'react'
import type { ChangeData } from 'react-diff-view'
import { count } from '../../figures-text.ts'
import type { Chunk } from './diff-files.ts'
import { type Piece, tokensOf } from './diff-tokens.ts'

/** Characters of a line that are shown: a browser cannot lay out a megabyte in one line. */
const mostChars = 2_000

const words = { insert: 'added', delete: 'removed', normal: '' } as const

/** One line of a diff, with its numbers, its sign and its colours. */
export const DiffLine = memo(function DiffLine({ chunk, at }: { readonly chunk: Chunk; readonly at: number }) {
  const change = chunk.changes[at]
  if (change === undefined) return null
  const { type, content } = change
  const [before, after] = numbersOf(change)
  const isLong = content.length > mostChars
  const tokens = isLong ? undefined : tokensOf(chunk)[at]
  return (
    <div className={`diff-line diff-line-${type}`}>
      <span className={`diff-gutter diff-gutter-${type} old`} data-line={before} />
      <span className={`diff-gutter diff-gutter-${type} new`} data-line={after} />
      <span className={`diff-code diff-code-${type}`}>
        {words[type] && <span className="visually-hidden">{words[type]}: </span>}
        {tokens ? tokens.map(shown) : content.slice(0, mostChars)}
        {isLong && <span className="sub"> … {count(content.length - mostChars)} more characters</span>}
      </span>
    </div>
  )
})

function numbersOf(change: ChangeData): readonly [number | undefined, number | undefined] {
  if (change.type === 'normal') return [change.oldLineNumber, change.newLineNumber]
  return change.type === 'insert' ? [undefined, change.lineNumber] : [change.lineNumber, undefined]
}

function shown({ text, className, isEdit }: Piece, i: number): ReactNode {
  if (className === '' && !isEdit) return text
  return (
    <span key={i} className={isEdit ? `${className} diff-code-edit` : className}>
      {text}
    </span>
  )
}
