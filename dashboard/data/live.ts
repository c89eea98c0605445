import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Event } from '../../src/api/events.ts'
import type { RunList } from '../../src/api/runs.ts'
import { changesTitle, type ToPage } from './event-hub.ts'
import type { Connection } from './follow.ts'
import { joinHub } from './join-hub.ts'
import { heardLeftOut, heardNow, onWatched, watchedNow } from './now-watch.ts'
import { keys } from './queries.ts'
import { createRefresher } from './refresher.ts'
import { currentSession, forgetSession } from './session.ts'

export interface Hearing {
  /** Called with each event. */
  readonly heard: (event: Event) => void
  /** Whether events are wanted also while nobody looks. */
  readonly wantsAll: () => boolean
}

/** Milliseconds after which the count in the title of a page is renewed that nobody looks at. */
const hiddenMs = 20_000

/**
 * Follows the event stream from an event on and asks again for what each makes stale. After a loss
 * it goes on behind the last event that came, and everything on screen is asked for once more.
 */
export function useLive(
  after: number | null,
  { heard, wantsAll }: Hearing,
): { readonly connection: Connection; readonly owned: boolean | null } {
  const client = useQueryClient()
  const [connection, setConnection] = useState<Connection>('connecting')
  const [owned, setOwned] = useState<boolean | null>(null)
  const known = after !== null
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stream is opened once, from the first event that is known
  useEffect(() => {
    const session = currentSession()
    if (after === null || session === null) return
    const refresh = createRefresher(client)
    let missed = false
    let last = after
    const looks = () => !document.hidden || wantsAll()
    const everything = () => client.invalidateQueries()
    const hear = (what: ToPage) => {
      switch (what.type) {
        case 'event':
          if (what.event.id <= last) return
          last = what.event.id
          heard(what.event)
          // Nobody looks: only the count in the title is kept up until somebody does.
          if (document.hidden) {
            missed = true
            return void (changesTitle.has(what.event.type) && refresh(keys.runs))
          }
          return staleAfter(what.event).forEach(refresh)
        case 'owner':
          setOwned(what.owned)
          if (client.getQueryData<RunList>(keys.runs)?.owned === what.owned) return
          refresh(keys.runs)
          return refresh(['run'])
        case 'now':
          return heardNow(what.changes)
        case 'left_out':
          return heardLeftOut(what.names)
        case 'connection':
          setConnection(what.now)
          return void (what.now === 'live' && isLoss(what.before) && everything())
        case 'missed':
          return void everything()
        case 'ending':
          return void everything().finally(() => hub.tell({ type: 'settled' }))
        case 'refused':
          return forgetSession(session)
      }
    }
    const hub = joinHub({ session: session.session, after: () => last, looks, watches: watchedNow, heard: hear })
    const leaveWatched = onWatched(() => hub.tell({ type: 'watch', watches: watchedNow() }))
    const shown = () => {
      hub.tell({ type: 'looks', looks: looks() })
      if (document.hidden || !missed) return
      missed = false
      void everything()
    }
    document.addEventListener('visibilitychange', shown)
    let timer: ReturnType<typeof setTimeout> | undefined
    // All tabs that nobody looks at ask at the same moment, and the connection rests in between.
    const askLater = () => {
      timer = setTimeout(
        () => {
          if (document.hidden) refresh(keys.runs)
          askLater()
        },
        hiddenMs - (Date.now() % hiddenMs),
      )
    }
    askLater()
    return () => {
      clearTimeout(timer)
      leaveWatched()
      document.removeEventListener('visibilitychange', shown)
      hub.leave()
    }
  }, [client, known])
  return { connection, owned }
}

function isLoss(connection: Connection): boolean {
  return connection === 'lost' || connection === 'ended'
}

/** What shows something that an event has changed. */
function staleAfter({ run, story, type }: Event): readonly (readonly string[])[] {
  const ofRun = [keys.runs, keys.run(run), keys.events(run)]
  const ofStory = story === null ? [] : [keys.story(run, story), keys.timeline(run, story)]
  // All that is merged is asked for by the commit that it is in.
  const diff = story === null ? [] : [keys.diff(run, story)]
  const timeline = [...ofStory, keys.timeline(run, null)]
  switch (type) {
    case 'tool':
      return [...ofRun, ...timeline, ...diff]
    case 'model_call':
      return [...ofRun, ...timeline, keys.figures(run), keys.schedule(run)]
    case 'remark':
      return [...ofRun, ...ofStory, keys.remarks, ['diff', run]]
    case 'chat':
    case 'escalation':
    case 'escalation_answered':
      return [...ofRun, ...ofStory, keys.chat(run)]
    default:
      return [
        ...ofRun,
        ...timeline,
        keys.plan(run),
        keys.chat(run),
        keys.report(run),
        keys.figures(run),
        keys.schedule(run),
        keys.verifications(run),
        ...diff,
      ]
  }
}
