import { useEffect, useMemo, useRef, useState } from 'react'
import { Preformatted } from '../preformatted.tsx'
import '../../styles/review.css'
import type { Diff, Finding } from '../../../src/api/stories.ts'
import { useKept } from '../../data/kept.ts'
import { isAlone, may } from '../../data/may.ts'
import { remarksAbout, useRemarks } from '../../data/remarks.ts'
import { useAsked } from '../../router.ts'
import { type DiffFile, diffFiles, numbersOf } from '../diff/diff-files.ts'
import { DiffList, type Goal, type TalkRow } from '../diff/diff-list.tsx'
import { offsetAt, type Row, rowsOf, withTalk } from '../diff/diff-rows.ts'
import { editorLink } from '../diff/editor-link.ts'
import { useExpansions } from '../diff/expansions.ts'
import { FileHead } from '../diff/file-head.tsx'
import { FileTree } from '../diff/file-tree.tsx'
import type { LineRange } from '../diff/line-picking.ts'
import { Problem } from '../notice.tsx'
import { type Anchor, hunkAt, type Side } from './anchor.ts'
import { draftReview, useDrafts } from './draft-review.ts'
import { reviewLimits } from './review-limits.ts'
import { ReviewTools, type View } from './review-tools.tsx'
import { SendBar } from './send-bar.tsx'
import { draftsOf, idsOf, sortTalk, talkOf } from './talk.ts'
import { TalkCard } from './talk-card.tsx'
import { useViewed } from './viewed.ts'
import { useWide } from './wide.ts'

interface Props {
  readonly run: string
  readonly story: string | null
  /** The storage key for this change's drafts and viewed files. */
  readonly name: string
  readonly diff: string
  /** The shown commit. */
  readonly sha: string | null
  readonly findings: readonly Finding[]
  readonly focus: string | null
  readonly workspace: NonNullable<Diff['workspace']> | null
  /** The sides of the diff whose lines can be commented on. */
  readonly sides: readonly Side[]
}

/** Files with more changed lines are closed at first. */
const openLines = 3_000
const noSides: readonly Side[] = []
const wholeChange: Anchor = { path: null, side: 'new', start: null, end: null, hunk: null }

/** A diff with its comments, and controls to add more. */
export function DiffReview(props: Props) {
  const known = useRef<ReadonlyMap<string, DiffFile>>(new Map())
  const files = useMemo(() => {
    const found = diffFiles(props.diff, known.current)
    known.current = new Map(found?.map((file) => [file.text, file]))
    return found
  }, [props.diff])
  return files === null ? (
    <Preformatted label="Diff" wrap={false}>
      {props.diff}
    </Preformatted>
  ) : (
    <Files {...props} files={files} />
  )
}

function Files({ files: asTheyCame, ...props }: Props & { readonly files: readonly DiffFile[] }) {
  const { run, story, name, sha, findings, focus, workspace, sides } = props
  const isOne = asTheyCame.every(({ repository }) => repository === null)
  const expansions = useExpansions(isOne && sha !== null ? { run, story, sha } : null)
  const files = useMemo(() => asTheyCame.map((file) => expansions.of(file)?.file ?? file), [asTheyCame, expansions.of])
  const isWide = useWide()
  const [view, setView] = useKept<View>('diff-view', 'unified')
  const [hasTree, setTree] = useKept('diff-tree', isWide)
  const isSplit = isWide && view === 'split'
  const viewed = useViewed(name)
  const review = draftReview(name)
  const drafts = useDrafts(review)
  const { data } = useRemarks(run)
  const talk = useMemo(() => {
    return talkOf(remarksAbout(data?.remarks, { run, story }), findings, drafts)
  }, [data, run, story, findings, drafts])
  const sorted = useMemo(() => sortTalk(talk, files), [talk, files])
  const placed = [...sorted.rest, ...[...sorted.ofFile.values()].flat()]
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const isOpen = (file: DiffFile) =>
    (file.added + file.removed <= openLines && !viewed.is(file)) !== toggled.has(file.id)
  const toggle = ({ id }: DiffFile, isWanted = true) => {
    const next = new Set(toggled)
    if (!next.delete(id) && isWanted) next.add(id)
    setToggled(next)
  }
  const shown = { isSplit, sides: isOne && may('operator') ? sides : noSides }
  // biome-ignore lint/correctness/useExhaustiveDependencies: `isOpen` depends on `toggled` and `viewed` alone
  const rows = useMemo(
    () => [
      ...sorted.rest.map((each): Row => ({ kind: 'talk', key: each.talk.key, file: null, placed: each })),
      ...files.flatMap((file): readonly Row[] => {
        const head = { kind: 'file', key: `file ${file.id}`, file } as const
        if (!isOpen(file)) return [head]
        const total = expansions.of(file)?.total ?? null
        const hasContext = isOne && sha !== null && file.isFile && !file.isBinary
        return [
          head,
          ...withTalk(cachedRows(file, { isSplit, hasContext, total }), file, sorted.ofFile.get(file.id) ?? []),
        ]
      }),
    ],
    [files, sorted, toggled, viewed, isSplit, sha, isOne, expansions.of],
  )
  const [goal, setGoal] = useState<Goal | null>(null)
  const open = (file: DiffFile | undefined) => file && !isOpen(file) && toggle(file)
  const goTo = (key: string) => {
    const found = placed.find(
      ({ talk: each }) => each.key === key || draftsOf(each).some((draft) => `draft ${draft.key}` === key),
    )
    open(files.find((file) => found && sorted.ofFile.get(file.id)?.includes(found)))
    setGoal({ key: found?.talk.key ?? key, n: Math.random() })
  }
  const named = focus === null ? undefined : placed.find((each) => idsOf(each.talk).includes(focus))?.talk.key
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each finding that the address names
  useEffect(() => {
    if (named !== undefined) goTo(named)
  }, [named, focus])
  const askedFile = useAsked('file')
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each file that the address names
  useEffect(() => {
    const file = askedFile === null ? undefined : files.find(({ path }) => path === askedFile)
    if (file === undefined) return
    open(file)
    setGoal({ key: `file ${file.id}`, n: Math.random() })
  }, [askedFile])
  const begin = (file: DiffFile, { side, from, to }: Omit<LineRange, 'file'>) => {
    const [start, end] = [Math.min(from, to), Math.max(from, to)]
    const at = { path: side === 'old' ? (file.from ?? file.path) : file.path, side, start, end }
    review.begin({ ...at, hunk: hunkAt(file, { ...at, hunk: null }, reviewLimits.hunkChars) })
  }
  const marked = placed.flatMap(({ talk: each, place }): readonly LineRange[] => {
    if (each.kind !== 'draft' || !each.draft.isOpen || place.at !== 'lines') return []
    const file = files.find(({ id }) => sorted.ofFile.get(id)?.some((one) => one.talk === each))
    return file ? [{ file: file.id, side: each.anchor.side, from: place.start, to: place.end }] : []
  })
  const talkView = (row: TalkRow, focusLine: (file: string, side: Side, line: number) => void) => {
    const { file, placed: one } = row
    const { anchor } = one.talk
    const place = one.place
    const show = () => {
      if (file === null || place.at !== 'hidden') return
      const offset = offsetAt(file, anchor.side, place.start)
      const start = place.start - (anchor.side === 'old' ? offset : 0)
      const around = { start: Math.max(1, start - 3), end: start + place.end - place.start + 3, offset }
      expansions.expand(file, around)
    }
    const closed = () => file && place.at === 'lines' && focusLine(file.id, anchor.side, place.end)
    return (
      <TalkCard
        placed={one}
        {...{ run, story, review }}
        show={file !== null && place.at === 'hidden' && sides.length > 0 ? show : null}
        closed={() => void closed()}
      />
    )
  }
  return (
    <div className={`review ${hasTree ? 'with-tree' : ''}`}>
      <ReviewTools
        {...{ view, setView, hasTree, setTree, placed }}
        files={files.length}
        viewed={files.filter(viewed.is).length}
        go={goTo}
        say={shown.sides.length === 0 ? null : () => review.begin(wholeChange)}
      />
      {hasTree && (
        <FileTree
          files={files}
          isViewed={viewed.is}
          said={(file) => sorted.ofFile.get(file.id)?.length ?? 0}
          go={(file) => {
            open(file)
            setGoal({ key: `file ${file.id}`, n: Math.random() })
          }}
        />
      )}
      <div className="review-main">
        {expansions.problem !== null && <Problem error={expansions.problem} />}
        <DiffList
          rows={rows}
          sides={shown.sides}
          marked={marked}
          pick={(picked) => {
            const file = files.find(({ id }) => id === picked.file)
            if (file) begin(file, picked)
          }}
          expand={expansions.expand}
          goal={goal}
          isHeld={isWritten}
          talk={talkView}
          head={(file) => (
            <FileHead
              file={file}
              isOpen={isOpen(file)}
              isViewed={viewed.is(file)}
              found={story === null ? null : { run, story, findings }}
              toggle={() => toggle(file)}
              view={() => {
                toggle(file, false)
                viewed.toggle(file)
              }}
              say={
                shown.sides.length === 0
                  ? null
                  : () => {
                      open(file)
                      const side = file.type === 'delete' ? 'old' : 'new'
                      review.begin({ path: file.path, side, start: null, end: null, hunk: null })
                    }
              }
              link={
                workspace === null || !isAlone() || file.type === 'delete'
                  ? null
                  : editorLink(workspace, file.path, firstLine(file))
              }
            />
          )}
        />
        <SendBar {...{ run, story, sha, review, placed }} go={goTo} />
      </div>
    </div>
  )
}

function isWritten({ placed: { talk } }: TalkRow): boolean {
  return draftsOf(talk).some(({ isOpen }) => isOpen)
}

/** The first changed line. */
function firstLine({ hunks }: DiffFile): number {
  const lines = hunks.flatMap(({ changes }) => changes).map((change) => ({ change, line: numbersOf(change).new }))
  return lines.find(({ change, line }) => change.type === 'insert' && line !== null)?.line ?? hunks[0]?.newStart ?? 1
}

/**
 * The rows of a file by their form of display; reused, since their chunks cache the highlighting.
 */
const cache = new WeakMap<DiffFile, Map<string, readonly Row[]>>()

function cachedRows(file: DiffFile, shown: Parameters<typeof rowsOf>[1]): readonly Row[] {
  const known = cache.get(file) ?? new Map<string, readonly Row[]>()
  cache.set(file, known)
  const name = JSON.stringify(shown)
  const rows = known.get(name) ?? rowsOf(file, shown)
  known.set(name, rows)
  return rows
}
