import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useId, useMemo, useRef, useState } from 'react'
import { Icon } from '../icon.tsx'
import type { DiffFile } from './diff-files.ts'
import { type Entry, treeOf } from './tree-of.ts'

interface Props {
  readonly files: readonly DiffFile[]
  readonly isViewed: (file: DiffFile) => boolean
  /** The number of comments on a file. */
  readonly said: (file: DiffFile) => number
  readonly go: (file: DiffFile) => void
}

/** The height of an entry in pixels. */
const height = 30

/** The files of a diff in a tree of folders. */
export function FileTree({ files, isViewed, said, go }: Props) {
  const [filter, setFilter] = useState('')
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const entries = useMemo(() => {
    const words = filter.toLowerCase().split(/\s+/)
    return treeOf(
      files.filter(({ path }) => words.every((word) => path.toLowerCase().includes(word))),
      closed,
    )
  }, [files, filter, closed])
  const box = useRef<HTMLElement>(null)
  const list = useVirtualizer({
    count: entries.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    getItemKey: useCallback((i: number) => entries[i]?.key ?? i, [entries]),
    overscan: 10,
  })
  const toggle = (key: string) => {
    const next = new Set(closed)
    if (!next.delete(key)) next.add(key)
    setClosed(next)
  }
  const field = useId()
  return (
    <nav className="tree" aria-label="Changed files">
      <label className="visually-hidden" htmlFor={field}>
        Filter files
      </label>
      <input
        id={field}
        type="search"
        className="input"
        placeholder="Filter files"
        value={filter}
        onChange={({ target }) => setFilter(target.value)}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section ref={box} className="tree-box" tabIndex={0} aria-label="Files by folder">
        {entries.length === 0 && <p className="sub tree-none">No file has this in its name.</p>}
        <ul style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, key, start }) => {
            const entry = entries[index]
            return (
              entry && (
                <li key={key} style={{ transform: `translateY(${start}px)`, height }}>
                  <EntryView entry={entry} isViewed={isViewed} said={said} go={go} toggle={toggle} />
                </li>
              )
            )
          })}
        </ul>
      </section>
    </nav>
  )
}

interface EntryProps extends Pick<Props, 'isViewed' | 'said' | 'go'> {
  readonly entry: Entry
  readonly toggle: (key: string) => void
}

function EntryView({ entry, isViewed, said, go, toggle }: EntryProps) {
  const style = { paddingInlineStart: 8 + 14 * entry.depth }
  if (entry.kind === 'folder') {
    return (
      <button
        type="button"
        className="tree-entry"
        style={style}
        aria-expanded={entry.isOpen}
        onClick={() => toggle(entry.key)}
      >
        <Icon name={entry.isOpen ? 'down' : 'right'} />
        <span className="tree-name">{entry.name}</span>
      </button>
    )
  }
  const { file } = entry
  const comments = said(file)
  const viewed = isViewed(file)
  return (
    <button
      type="button"
      className={`tree-entry ${viewed ? 'viewed' : ''}`}
      style={style}
      title={file.path}
      onClick={() => go(file)}
    >
      <Icon name={viewed ? 'checks' : 'file'} />
      <span className={`tree-name ${file.type}`}>{entry.name}</span>
      {viewed && <span className="visually-hidden">, viewed</span>}
      {comments > 0 && (
        <span className="tab-count">
          {comments}
          <span className="visually-hidden"> {comments === 1 ? 'comment' : 'comments'}</span>
        </span>
      )}
      <span className="diff-counts">
        {file.added > 0 && <span className="added">+{file.added}</span>}{' '}
        {file.removed > 0 && <span className="removed">−{file.removed}</span>}
      </span>
    </button>
  )
}
