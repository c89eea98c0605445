import { defaultRangeExtractor, type Range, useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import '../../styles/diff.css'
import { plural } from '../../figures-text.ts'
import { Icon } from '../icon.tsx'
import { type DiffFile, diffFiles, type Row } from './diff-files.ts'
import { DiffLine } from './diff-line.tsx'

/** Changed lines above which a file is closed at first. */
const openLines = 3_000
/** Files whose heads are in the page wherever one looks, for the keyboard and for search. */
const headsInPage = 300
/** Pixels; what the styles make of each, so that only what wraps has to be measured anew. */
const heights = { file: 41, hunk: 24, line: 20, note: 42 } as const

/**
 * A unified diff, file by file, with the colours of its language. Only what is in sight is in the
 * page. All of it is text, whatever it says.
 */
export function DiffView({ diff }: { readonly diff: string }) {
  const known = useRef<ReadonlyMap<string, DiffFile>>(new Map())
  const files = useMemo(() => {
    const found = diffFiles(diff, known.current)
    known.current = new Map(found?.map((file) => [file.text, file]))
    return found
  }, [diff])
  return files === null ? <pre className="pre">{diff}</pre> : <Files files={files} />
}

function Files({ files }: { readonly files: readonly DiffFile[] }) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const isOpen = ({ path, added, removed }: DiffFile) => added + removed <= openLines !== toggled.has(path)
  const toggle = ({ path }: DiffFile) => {
    const next = new Set(toggled)
    if (!next.delete(path)) next.add(path)
    setToggled(next)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: `isOpen` depends on `toggled` alone
  const rows = useMemo(
    () =>
      files.flatMap((file): readonly Row[] => {
        const head = { kind: 'file', key: `${file.from} ${file.path}`, file } as const
        return isOpen(file) ? [head, ...file.rows] : [head]
      }),
    [files, toggled],
  )
  const heads = useMemo(() => rows.flatMap(({ kind }, i) => (kind === 'file' ? [i] : [])), [rows])
  const place = useRef<HTMLDivElement>(null)
  const list = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (i) => heights[rows[i]?.kind ?? 'line'],
    getItemKey: (i) => rows[i]?.key ?? i,
    overscan: 20,
    scrollMargin: useOffset(place),
    rangeExtractor: (range: Range) => {
      const near = defaultRangeExtractor(range)
      return heads.length > headsInPage ? near : [...new Set([...heads, ...near])].toSorted((a, b) => a - b)
    },
  })
  return (
    <div ref={place} className="diff-files card" style={{ height: list.getTotalSize() }}>
      {list.getVirtualItems().map(({ index, key, start }) => {
        const row = rows[index]
        return (
          row && (
            <div
              key={key}
              ref={list.measureElement}
              data-index={index}
              className="diff-row"
              style={{ transform: `translateY(${start - list.options.scrollMargin}px)` }}
            >
              <RowView row={row} isOpen={row.kind === 'file' && isOpen(row.file)} toggle={toggle} />
            </div>
          )
        )
      })}
    </div>
  )
}

/** How far below the top of the page it begins. */
function useOffset(place: { readonly current: HTMLElement | null }): number {
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => {
    const top = place.current?.getBoundingClientRect().top ?? 0
    setOffset(Math.round(top + window.scrollY))
  })
  return offset
}

interface RowProps {
  readonly row: Row
  readonly isOpen: boolean
  readonly toggle: (file: DiffFile) => void
}

function RowView({ row, isOpen, toggle }: RowProps) {
  switch (row.kind) {
    case 'line':
      return <DiffLine chunk={row.chunk} at={row.at} />
    case 'hunk':
      return <div className="diff-hunk">{row.content}</div>
    case 'note':
      return <p className="sub diff-none">{row.text}</p>
    case 'file':
      return <Head file={row.file} isOpen={isOpen} toggle={() => toggle(row.file)} />
    default:
      throw new Error(`unknown row ${row satisfies never}`)
  }
}

const kinds = { add: 'new', delete: 'deleted', modify: '', rename: 'renamed', copy: 'copied' } as const

function Head({
  file,
  isOpen,
  toggle,
}: {
  readonly file: DiffFile
  readonly isOpen: boolean
  readonly toggle: () => void
}) {
  const { path, from, type, added, removed } = file
  return (
    <button type="button" className="diff-file" aria-expanded={isOpen} onClick={toggle} data-item>
      <Icon name={isOpen ? 'down' : 'right'} />
      <code>{from === null ? path : `${from} → ${path}`}</code>
      {kinds[type] && <span className="sub">{kinds[type]}</span>}
      <span className="spread diff-counts">
        <span className="added">+{added}</span> <span className="removed">−{removed}</span>
        <span className="visually-hidden">
          {plural(added, 'line')} added, {plural(removed, 'line')} removed
        </span>
      </span>
    </button>
  )
}
