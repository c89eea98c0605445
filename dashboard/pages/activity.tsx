import { useState } from 'react'
import type { Event, ToldEvent } from '../../src/api/events.ts'
import { useEvents } from '../data/timeline.ts'
import { type EventGroup, groupNames, groupTitles, typesOf } from '../filters/event-groups.ts'
import { FilterBar, FilterChoice } from '../filters/filter-bar.tsx'
import { useFilter, useTextFilter } from '../filters/use-filter.ts'
import { Icon } from '../parts/icon.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Empty } from '../parts/notice.tsx'
import { Preformatted } from '../parts/preformatted.tsx'
import { RunHead } from '../parts/run-head.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Time } from '../parts/time.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'
import { href } from '../router.ts'
import { family } from '../state-family.ts'
import { TimelineView } from './story/timeline-view.tsx'

/** All events of a Run, newest first. */
export function Activity({ run, shown }: { readonly run: string; readonly shown: string }) {
  return (
    <div className="page">
      <RunHead run={run} title="Activity" />
      <Tabs
        label="Of this run"
        current={shown}
        tabs={[
          { id: 'events', title: 'Events', to: href('runs', run, 'activity') },
          { id: 'calls', title: 'Model and tool calls', to: href('runs', run, 'activity', 'calls') },
        ]}
      />
      {shown === 'calls' ? <TimelineView run={run} story={null} /> : <EventLog run={run} />}
    </div>
  )
}

function EventLog({ run }: { readonly run: string }) {
  const [group, choose] = useFilter<EventGroup>('kind', groupNames)
  const { text } = useTextFilter()
  const { query, more } = useEvents(run, { types: typesOf(group), text })
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const toggle = (id: number) => {
    const next = new Set(opened)
    if (!next.delete(id)) next.add(id)
    setOpened(next)
  }
  const isNarrowed = group !== null || text !== ''
  return (
    <>
      <FilterBar what="events" download={{ list: 'events', run }} filters={['kind']}>
        <FilterChoice
          label="Kind"
          all="All events"
          options={groupNames.map((value) => ({ value, title: groupTitles[value] }))}
          chosen={group}
          choose={choose}
        />
      </FilterBar>
      <Loaded query={query} what="the events">
        {({ items }) =>
          items.length === 0 ? (
            <Empty
              icon={isNarrowed ? 'search' : 'activity'}
              title={isNarrowed ? 'No event is like that' : 'Nothing has happened yet'}
            />
          ) : (
            <VirtualList
              className="timeline"
              newestFirst
              isRead={opened.size > 0}
              label="Events"
              items={items}
              id={({ id }) => String(id)}
              height={38}
              more={more && (() => void more())}
            >
              {(event) => <Row run={run} event={event} open={opened.has(event.id)} toggle={() => toggle(event.id)} />}
            </VirtualList>
          )
        }
      </Loaded>
    </>
  )
}

interface RowProps {
  readonly run: string
  readonly event: ToldEvent
  readonly open: boolean
  readonly toggle: () => void
}

/** An event as a sentence; it expands to its data in the log. */
function Row({ run, event, open, toggle }: RowProps) {
  const { id, type, story, data, at, actor, what } = event
  return (
    <div className={`event ${family(stateIn(event))}`} data-event={id} data-type={type}>
      <div className="event-row">
        <button type="button" className="event-open" aria-expanded={open} onClick={toggle} data-item>
          <Icon name={open ? 'down' : 'right'} />
          <span className="dot" aria-hidden="true" />
          <span className="event-what">{what}</span>
        </button>
        {story !== null && (
          <a className="mono" href={href('runs', run, 'stories', story)}>
            {story}
          </a>
        )}
        {actor !== undefined && <span className="sub">{actor}</span>}
        <span className="sub">
          <Time at={at} />
        </span>
      </div>
      {open && (
        <div className="entry-body">
          <p className="sub">
            <code>{type}</code>, event {id}
            {actor !== undefined && `, by ${actor}`}
          </p>
          <Preformatted label="Event">{JSON.stringify(data, null, 2)}</Preformatted>
        </div>
      )}
    </div>
  )
}

/** The state that determines its colour. */
function stateIn({ data }: Event): string {
  if ('to' in data) return data.to
  if ('status' in data) return data.status
  if ('verdict' in data) return data.verdict ?? ''
  return 'state' in data ? data.state : ''
}
