import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import type { Log } from '../../src/api/verifications.ts'
import { formatBytes } from '../../src/domain/figures-text.ts'
import { plural } from '../figures-text.ts'

/** Lines that name a failure, in the words of common test runners and compilers. */
const failing =
  /^\s*(?:not ok\b|(?:--- )?FAIL\b|FAILED\b|✗|✘|✖|×\s|ERROR\b|E\s{2,}|error(?:\[\w+\])?:|panic:|AssertionError|Traceback)|\bAssertionError\b/
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours in a log are made of
const colours = /\u001b\[[0-9;?]*[ -/]*[@-~]/g

interface LogViewProps {
  readonly text: string
  readonly label: string
  /**
   * True if the log belongs to a green step, so its failures need no attention: a flaky test, or
   * one that was allowed to fail.
   */
  readonly isGreen?: boolean
  /** The part of the log before the text. */
  readonly skipped?: Log['skipped']
}

/** A log of any length, as text. Failures are listed first, with links to their lines. */
export function LogView({ text, label, isGreen = false, skipped = null }: LogViewProps) {
  const first = 1 + (skipped?.lines ?? 0)
  const lines = useMemo(() => text.replace(colours, '').replace(/\n$/, '').split('\n'), [text])
  const failures = useMemo(() => lines.flatMap((line, i) => (failing.test(line) ? [i] : [])), [lines])
  const box = useRef<HTMLDivElement>(null)
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => 20,
    overscan: 30,
  })
  if (text.trim() === '') return <p className="sub">Nothing was printed.</p>
  return (
    <div className="stack tight">
      {skipped !== null && (
        <p className="notice" role="status">
          The log is long: its first {plural(skipped.lines, 'line')} ({formatBytes(skipped.bytes)}) are not shown here.{' '}
          <code>drydock log {label}</code> prints all of it.
        </p>
      )}
      {failures.length > 0 && !isGreen && (
        <div className="failures">
          <h3>{plural(failures.length, 'line names a failure', 'lines name failures')}</h3>
          <ul>
            {failures.slice(0, 8).map((at) => (
              <li key={at}>
                <button
                  type="button"
                  className="failure mono"
                  onClick={() => list.scrollToIndex(at, { align: 'center' })}
                >
                  <span className="sub">{first + at}</span> {lines[at]?.trim()}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
      {/** biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section ref={box} className="log" tabIndex={0} aria-label={`Log of ${label}`}>
        <div style={{ height: list.getTotalSize() }} className="log-lines">
          {list.getVirtualItems().map(({ index, start, key }) => (
            <div
              key={key}
              data-index={index}
              ref={list.measureElement}
              className={failing.test(lines[index] ?? '') ? 'log-line failed' : 'log-line'}
              style={{ transform: `translateY(${start}px)` }}
            >
              <span className="log-number" aria-hidden="true">
                {first + index}
              </span>
              <span>{lines[index]}</span>
            </div>
          ))}
        </div>
      </section>
    </div>
  )
}
