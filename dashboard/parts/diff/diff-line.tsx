import { memo, type ReactNode } from 'react'
import { count } from '../../figures-text.ts'
import type { Side } from '../review/anchor.ts'
import { numbersOf } from './diff-files.ts'
import type { Chunk, LineAt } from './diff-rows.ts'
import { type Piece, tokensOf } from './diff-tokens.ts'

/**
 * The most characters of a line that are shown, since browsers cannot lay out a megabyte in one
 * line.
 */
const mostChars = 2_000

const words = { insert: 'added', delete: 'removed', normal: '' } as const

interface Marks {
  /** The sides whose lines can be commented on. */
  readonly sides: readonly Side[]
  /** The side on which the line belongs to the selection. */
  readonly chosen: Side | null
  /** The side with the keyboard cursor. */
  readonly cursor: Side | null
}

interface OneLine extends Marks {
  readonly chunk: Chunk
  readonly at: number
}

/** One line of a diff, with its numbers, its sign and its colours. */
export const DiffLine = memo(function DiffLine({ chunk, at, sides, chosen, cursor }: OneLine) {
  const change = chunk.changes[at]
  if (change === undefined) return null
  const { type } = change
  const numbers = numbersOf(change)
  const side = type === 'delete' ? 'old' : 'new'
  return (
    <div className={`diff-line diff-line-${type} ${chosen === null ? '' : 'chosen'}`}>
      <span className={`diff-gutter diff-gutter-${type} old`} data-line={numbers.old ?? undefined} data-side="old" />
      <span className={`diff-gutter diff-gutter-${type} new`} data-line={numbers.new ?? undefined} data-side="new" />
      <Code chunk={chunk} at={at} side={side} canSay={sides.includes(side)} isCursor={cursor === side} />
    </div>
  )
})

interface TwoLines extends Marks {
  readonly old: LineAt | null
  readonly new: LineAt | null
}

/** A line before and after, side by side. */
export const DiffPair = memo(function DiffPair({ old, new: now, sides, chosen, cursor }: TwoLines) {
  return (
    <div className="diff-line diff-pair">
      {(['old', 'new'] as const).map((side) => {
        const line = side === 'old' ? old : now
        const change = line?.chunk.changes[line.at]
        if (line === null || change === undefined) return <span key={side} className="diff-half diff-nothing" />
        const { type } = change
        return (
          <span key={side} className={`diff-half ${chosen === side ? 'chosen' : ''}`}>
            <span className={`diff-gutter diff-gutter-${type}`} data-line={numbersOf(change)[side]} data-side={side} />
            <Code {...line} side={side} canSay={sides.includes(side)} isCursor={cursor === side} />
          </span>
        )
      })}
    </div>
  )
})

interface CodeProps extends LineAt {
  readonly side: Side
  readonly canSay: boolean
  readonly isCursor: boolean
}

function Code({ chunk, at, side, canSay, isCursor }: CodeProps) {
  const change = chunk.changes[at]
  if (change === undefined) return null
  const { type, content } = change
  const isLong = content.length > mostChars
  const tokens = isLong ? undefined : tokensOf(chunk)[at]
  const number = numbersOf(change)[side]
  const word = words[type]
  return (
    <span className={`diff-code diff-code-${type}`}>
      {canSay && (
        <button
          type="button"
          className="diff-add"
          tabIndex={isCursor ? 0 : -1}
          data-side={side}
          aria-label={`Comment on ${word && `${word} `}line ${number}`}
        />
      )}
      {word && <span className="visually-hidden">{word}: </span>}
      {tokens ? tokens.map(shown) : content.slice(0, mostChars).replace(/[\ud800-\udbff]$/, '')}
      {isLong && <span className="sub"> … {count(content.length - mostChars)} more characters</span>}
    </span>
  )
}

function shown({ text, className, isEdit }: Piece, i: number): ReactNode {
  if (className === '' && !isEdit) return text
  return (
    <span key={i} className={isEdit ? `${className} diff-code-edit` : className}>
      {text}
    </span>
  )
}
