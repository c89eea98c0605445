import { memo, type ReactNode } from 'react'
import type { ChangeData, TokenNode } from 'react-diff-view'
import { count } from '../../figures-text.ts'
import type { Chunk } from './diff-files.ts'
import { tokensOf } from './diff-tokens.ts'

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
  const tokens = isLong ? null : tokensOf(chunk)[at]
  return (
    <div className={`diff-line diff-line-${type}`}>
      <span className={`diff-gutter diff-gutter-${type} old`} data-line={before} />
      <span className={`diff-gutter diff-gutter-${type} new`} data-line={after} />
      <span className={`diff-code diff-code-${type}`}>
        {words[type] && <span className="visually-hidden">{words[type]}: </span>}
        {tokens ? tokens.map(shown) : isLong ? content.slice(0, mostChars) : content}
        {isLong && <span className="sub"> … {count(content.length - mostChars)} more characters</span>}
      </span>
    </div>
  )
})

function numbersOf(change: ChangeData): readonly [number | undefined, number | undefined] {
  if (change.type === 'normal') return [change.oldLineNumber, change.newLineNumber]
  return change.type === 'insert' ? [undefined, change.lineNumber] : [change.lineNumber, undefined]
}

function shown(token: TokenNode, i: number): ReactNode {
  if (token.type === 'text') return token.value
  const inside = token.value ?? token.children?.map(shown)
  const className = token.type === 'edit' ? 'diff-code-edit' : (token.className ?? token.properties?.className)
  return (
    <span key={i} className={Array.isArray(className) ? className.join(' ') : className}>
      {inside}
    </span>
  )
}
