import { useState } from 'react'
import type { CutText, TimelineEntry } from '../../../src/api/timeline.ts'
import { useTimeline } from '../../data/timeline.ts'
import { count, duration, money } from '../../figures-text.ts'
import { FilterBar, FilterChoice } from '../../filters/filter-bar.tsx'
import { useFilter, useTextFilter } from '../../filters/use-filter.ts'
import { Icon } from '../../parts/icon.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Empty } from '../../parts/notice.tsx'
import { Time } from '../../parts/time.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { WholeText } from './whole-text.tsx'

/** Every model and tool call, newest first; each expands to its input and output. */
export function TimelineView({ run, story }: { readonly run: string; readonly story: string | null }) {
  const [kind, choose] = useFilter('calls', callKinds)
  const { text } = useTextFilter()
  const { query, more } = useTimeline(run, story, { kind: kind ?? '', text })
  const isNarrowed = kind !== null || text !== ''
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const toggle = (cursor: string) => {
    const next = new Set(open)
    if (!next.delete(cursor)) next.add(cursor)
    setOpen(next)
  }
  return (
    <>
      <FilterBar what="calls" download={{ list: 'timeline', run, story }} filters={['calls']}>
        <FilterChoice
          label="Kind"
          all="All calls"
          options={callKinds.map((value) => ({ value, title: callTitles[value] }))}
          chosen={kind}
          choose={choose}
        />
      </FilterBar>
      <Loaded query={query} what="the timeline">
        {({ items }) =>
          items.length === 0 && isNarrowed ? (
            <Empty icon="search" title="No call is like that" />
          ) : items.length === 0 ? (
            <Empty icon="activity" title="No calls yet">
              <p>Every model request and tool call appears here, with its input and output.</p>
            </Empty>
          ) : (
            <VirtualList
              className="timeline"
              newestFirst
              isRead={open.size > 0}
              label="Timeline"
              items={items}
              id={({ cursor }) => cursor}
              height={45}
              more={more && (() => void more())}
            >
              {(entry) => (
                <Entry run={run} entry={entry} open={open.has(entry.cursor)} toggle={() => toggle(entry.cursor)} />
              )}
            </VirtualList>
          )
        }
      </Loaded>
    </>
  )
}

const callKinds = ['model', 'tool', 'failed'] as const
const callTitles = { model: 'Model calls', tool: 'Tool calls', failed: 'Failed calls' } as const

interface EntryProps {
  readonly run: string
  readonly entry: TimelineEntry
  readonly open: boolean
  readonly toggle: () => void
}

function Entry({ run, entry, open, toggle }: EntryProps) {
  const failed = entry.type === 'tool_call' ? entry.ok === false : entry.error !== null
  return (
    <div className={`entry ${entry.type} ${failed ? 'failed' : ''}`}>
      <button type="button" className="entry-head" aria-expanded={open} onClick={toggle} data-item>
        <Icon name={open ? 'down' : 'right'} />
        <span className="entry-kind">{entry.type === 'tool_call' ? entry.tool : entry.agent}</span>
        <span className="entry-what">{gist(entry)}</span>
        <span className="entry-facts sub">
          {entry.type === 'tool_call' && entry.observed && (
            <span title="Only the agent itself says that it made this call.">observed</span>
          )}
          {entry.type === 'model_call' && entry.usage && (
            <span>{count(entry.usage.input + entry.usage.output)} tok</span>
          )}
          {entry.type === 'model_call' && entry.cost_usd !== null && <span>{money(entry.cost_usd)}</span>}
          <span>{entry.duration_ms === null ? 'running' : duration(entry.duration_ms)}</span>
          <Time at={entry.started_at} />
        </span>
      </button>
      {open && (
        <div className="entry-body">
          <p className="sub">
            <code>{entry.lane}</code>, turn {entry.turn}
            {entry.type === 'model_call' && (
              <>
                {' '}
                · {entry.model} · {entry.stop}
              </>
            )}
          </p>
          {entry.type === 'model_call' && entry.error !== null && <div className="problem">{entry.error}</div>}
          <h2>In</h2>
          <WholeText run={run} cursor={entry.cursor} part="input" text={entry.input} />
          <h2>Out</h2>
          {entry.output === null ? (
            <p className="sub">{failed ? 'No result.' : 'It has not ended yet.'}</p>
          ) : (
            <WholeText run={run} cursor={entry.cursor} part="output" text={entry.output} />
          )}
        </div>
      )}
    </div>
  )
}

/** A one-line summary of a call. */
function gist(entry: TimelineEntry): string {
  const text: CutText | null = entry.type === 'tool_call' ? entry.input : entry.output
  if (entry.type === 'model_call' && entry.error !== null) return entry.error
  const words = entry.type === 'tool_call' ? valuesOf(text?.text ?? '') : (text?.text ?? '')
  return words.replace(/\s+/g, ' ').slice(0, 200)
}

/**
 * The arguments of a tool without their names. A cut text is not valid JSON, and stays as it is.
 */
function valuesOf(json: string): string {
  try {
    const values = Object.values(JSON.parse(json) as object)
    return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' · ')
  } catch {
    return json
  }
}
