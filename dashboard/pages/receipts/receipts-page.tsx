import { useDeferredValue, useEffect, useId, useMemo, useState } from 'react'
import type { ReceiptLine, ReceiptList } from '../../../src/api/receipts.ts'
import { formatCount } from '../../../src/domain/figures-text.ts'
import { plural } from '../../figures-text.ts'
import { DownloadButton } from '../../filters/download-button.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty, Problem } from '../../parts/notice.tsx'
import { StartLink } from '../../parts/start-link.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { href } from '../../router.ts'
import { ReceiptRow } from './receipt-row.tsx'
import { signatures } from './signature-state.tsx'
import { checksAtOnce, type ReceiptFilter, useChecks, useReceipts } from './use-receipts.ts'
import './receipts.css'

interface Props {
  readonly runs: ReadonlySet<string>
  /** The state and the words of the filter in the address. */
  readonly state: string | null
  readonly words: string
}

/** The commits of this repository, each with its proof. */
export function ReceiptsPage({ runs, state, words }: Props) {
  const [wanted, setWanted] = useState<ReceiptFilter>({ words, state: stateNamed(state) })
  const query = useReceipts(useDeferredValue(wanted))
  useEffect(() => keepInAddress(wanted), [wanted])
  const first = query.data?.pages[0] ?? null
  return (
    <div className="page receipts-page">
      <header className="page-head">
        <div className="stack tight">
          <h1>Receipts</h1>
          <p className="sub">
            Every commit that Drydock hands over carries a signed record of its making. Each one here was read from the
            repository and checked just now.
          </p>
        </div>
      </header>
      {first !== null && first.total > 0 && <Filter wanted={wanted} change={setWanted} />}
      <Loaded query={query} what="the receipts">
        {({ pages }) => {
          const [newest] = pages
          if (newest === undefined || newest.total === 0) return <NoReceipts list={newest} />
          return (
            <Listed
              list={newest}
              lines={pages.flatMap(({ receipts }) => receipts)}
              isKnown={(run) => runs.has(run)}
              more={query.hasNextPage && !query.isFetchingNextPage ? () => void query.fetchNextPage() : null}
            />
          )
        }}
      </Loaded>
    </div>
  )
}

/**
 * Replaces the history entry, so that a filtered list has an address, but going back leaves the
 * page.
 */
function keepInAddress({ words, state }: ReceiptFilter): void {
  const path = [
    'receipts',
    ...(words === '' && state === null ? [] : [state ?? 'all', ...(words === '' ? [] : [words])]),
  ]
  window.history.replaceState(null, '', href(...path))
}

function stateNamed(name: string | null): ReceiptFilter['state'] {
  return name !== null && Object.hasOwn(signatures, name) ? (name as ReceiptFilter['state']) : null
}

function Filter({
  wanted,
  change,
}: {
  readonly wanted: ReceiptFilter
  readonly change: (wanted: ReceiptFilter) => void
}) {
  const words = useId()
  const states = useId()
  return (
    <search className="receipts-filter">
      <label className="field grow" htmlFor={words}>
        <span>Find</span>
        <input
          id={words}
          className="input"
          type="search"
          maxLength={200}
          placeholder="commit, run, story, branch, key, finding"
          value={wanted.words}
          onChange={({ target }) => change({ ...wanted, words: target.value })}
        />
      </label>
      <label className="field" htmlFor={states}>
        <span>Signature</span>
        <select
          id={states}
          className="input"
          value={wanted.state ?? ''}
          onChange={({ target }) => change({ ...wanted, state: stateNamed(target.value) })}
        >
          <option value="">Any</option>
          {Object.entries(signatures).map(([state, { label }]) => (
            <option key={state} value={state}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </search>
  )
}

interface ListedProps {
  readonly list: ReceiptList
  readonly lines: readonly ReceiptLine[]
  readonly isKnown: (run: string) => boolean
  readonly more: (() => void) | null
}

function Listed({ list, lines, isKnown, more }: ListedProps) {
  const checks = useChecks()
  const [fresh, setFresh] = useState<ReadonlyMap<string, ReceiptLine>>(new Map())
  const shown = useMemo(() => lines.map((line) => newer(line, fresh.get(line.commit))), [lines, fresh])
  const [pending, setPending] = useState<ReadonlySet<string>>(new Set())
  const verify = (commits: readonly string[]) => {
    setPending(new Set(commits))
    checks.mutate(commits, {
      onSuccess: ({ receipts }) =>
        setFresh((before) => new Map([...before, ...receipts.map((line) => [line.commit, line] as const)])),
      onSettled: () => setPending(new Set()),
    })
  }
  const inView = () =>
    [...document.querySelectorAll<HTMLElement>('[data-receipt]')]
      .filter((row) => isSeen(row))
      .flatMap(({ dataset }) => dataset.receipt ?? [])
      .slice(0, checksAtOnce)
  const verified = checks.data?.receipts ?? []
  const good = verified.filter(({ state }) => state === 'good').length
  return (
    <>
      <div className="row">
        <span className="sub" role="status">
          {list.matching === list.total
            ? plural(list.total, 'commit')
            : `${formatCount(list.matching)} of ${plural(list.total, 'commit')}`}
          {list.elsewhere > 0 && `, and ${plural(list.elsewhere, 'note')} about commits that are not here`}
          {checks.isSuccess && `. Verified ${verified.length} again: ${good} proven`}
        </span>
        <DownloadButton what="receipts" download={{ list: 'receipts' }} />
        <button
          type="button"
          className="button spread"
          disabled={checks.isPending || shown.length === 0}
          onClick={() => verify(inView())}
        >
          {checks.isPending ? 'Verifying…' : 'Verify all in view'}
        </button>
      </div>
      {checks.isError && <Problem error={checks.error} />}
      {shown.length === 0 ? (
        <Empty icon="checks" title="No receipt matches">
          <p>Take a word away, or choose another signature.</p>
        </Empty>
      ) : (
        <VirtualList
          items={shown}
          id={({ commit }) => commit}
          height={190}
          gap={8}
          label="Receipts, newest first"
          className="receipts"
          more={more}
        >
          {(line) => (
            <ReceiptRow
              line={line}
              isKnown={isKnown}
              verify={() => verify([line.commit])}
              isVerifying={pending.has(line.commit)}
              isFresh={fresh.has(line.commit)}
            />
          )}
        </VirtualList>
      )}
    </>
  )
}

/** A manual check may be older than a list loaded since. */
function newer(line: ReceiptLine, checked: ReceiptLine | undefined): ReceiptLine {
  return checked !== undefined && checked.checked_at > line.checked_at ? checked : line
}

/** True for a row in the visible part of the list. */
function isSeen(row: HTMLElement): boolean {
  const box = row.closest('.virtual')?.getBoundingClientRect()
  const { top, bottom } = row.getBoundingClientRect()
  return box === undefined || (bottom > box.top && top < box.bottom)
}

function NoReceipts({ list }: { readonly list: ReceiptList | undefined }) {
  return (
    <Empty icon="checks" title="No commit here has a receipt yet">
      <p>
        A commit gets one when Drydock hands it over: build something with <code>drydock task</code> or{' '}
        <code>drydock run</code>, and its commits appear here.
      </p>
      {list?.fetch && (
        <>
          <p>In a clone, git does not fetch receipts by itself. If others have built something here, fetch them:</p>
          <code>{list.fetch}</code>
        </>
      )}
      <StartLink title="Start something" />
    </Empty>
  )
}
