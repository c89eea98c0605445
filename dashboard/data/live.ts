import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Event } from '../../src/api/events.ts'
import type { RunList } from '../../src/api/runs.ts'
import { keepConnection, useConnection } from './connection.ts'
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
  /** True if events are wanted even while the tab is hidden. */
  readonly wantsAll: () => boolean
}

/** Milliseconds between updates of the count in a hidden tab's title. */
const hiddenMs = 20_000

/**
 * Follows the event stream after a given event, and fetches the data again that each event makes
 * stale. After a lost connection it continues after the last received event, and fetches everything
 * on screen again.
 */
export function useLive(
  after: number | null,
  { heard, wantsAll }: Hearing,
): { readonly connection: Connection; readonly owned: boolean | null } {
  const client = useQueryClient()
  const connection = useConnection()
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
          // In a hidden tab only the count in the title is updated.
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
          keepConnection(what.now)
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
    // Aligned to the clock, so that all hidden tabs fetch at the same moment and the connection
    // rests in between.
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

/** The keys of the queries that an event makes stale. */
function staleAfter({ run, story, type }: Event): readonly (readonly string[])[] {
  const ofRun = [keys.runs, keys.run(run), keys.events(run)]
  const ofStory = story === null ? [] : [keys.story(run, story), keys.timeline(run, story)]
  // The whole diff of a Run is keyed by its commit, so it is not listed here.
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
