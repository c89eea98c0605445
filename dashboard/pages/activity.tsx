import type { Event } from '../../src/api/events.ts'
import { useEvents } from '../data/timeline.ts'
import { type EventGroup, groupNames, groupTitles, typesOf } from '../filters/event-groups.ts'
import { FilterBar, FilterChoice } from '../filters/filter-bar.tsx'
import { useFilter, useTextFilter } from '../filters/use-filter.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Empty } from '../parts/notice.tsx'
import { RunHead } from '../parts/run-head.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Time } from '../parts/time.tsx'
import { VirtualList } from '../parts/virtual-list.tsx'
import { href } from '../router.ts'
import { family } from '../state-family.ts'
import { TimelineView } from './story/timeline-view.tsx'

/** All that has happened in a Run, newest first. */
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
              label="Events"
              items={items}
              id={({ id }) => String(id)}
              height={38}
              more={more && (() => void more())}
            >
              {(event) => <Row run={run} event={event} />}
            </VirtualList>
          )
        }
      </Loaded>
    </>
  )
}

/** The word that its colour is of. */
function stateIn({ data }: Event): string {
  if ('to' in data) return data.to
  if ('status' in data) return data.status
  if ('verdict' in data) return data.verdict ?? ''
  return 'state' in data ? data.state : ''
}

function Row({ run, event }: { readonly run: string; readonly event: Event }) {
  const { id, type, story, data, at } = event
  const state = stateIn(event)
  return (
    <div className={`event-row ${family(state)}`} data-event={id}>
      <span className="dot" aria-hidden="true" />
      <span className="event-type">{type.replaceAll('_', ' ')}</span>
      {story !== null && (
        <a className="mono" href={href('runs', run, 'stories', story)} data-item>
          {story}
        </a>
      )}
      <span className="entry-what">{facts(data)}</span>
      <span className="sub">
        <Time at={at} />
      </span>
    </div>
  )
}

/** The values of an event, short ones only: what is long has a page of its own. */
function facts(data: Event['data']): string {
  return Object.entries(data)
    .filter(([, value]) => value !== null && value !== undefined && String(value) !== '')
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(' · ')
    .slice(0, 300)
}
