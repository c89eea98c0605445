import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Event } from '../../src/api/events.ts'
import { type Connection, follow } from './follow.ts'
import { keys } from './queries.ts'
import { createRefresher } from './refresher.ts'

/**
 * Follows the event stream from an event on and asks again for what each makes stale. After a loss
 * it goes on behind the last event that came, and everything on screen is asked for once more.
 */
export function useLive(
  after: number | null,
  heard: (event: Event) => void,
): { readonly connection: Connection; readonly owned: boolean | null } {
  const client = useQueryClient()
  const [connection, setConnection] = useState<Connection>('connecting')
  const [owned, setOwned] = useState<boolean | null>(null)
  const known = after !== null
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stream is opened once, from the first event that is known
  useEffect(() => {
    if (after === null) return
    const refresh = createRefresher(client)
    let missed = false
    const shown = () => {
      if (document.hidden || !missed) return
      missed = false
      void client.invalidateQueries()
    }
    document.addEventListener('visibilitychange', shown)
    const unfollow = follow(after, {
      event: (event) => {
        heard(event)
        // Nobody looks: only the count in the title is kept up until somebody does.
        if (document.hidden) {
          missed = true
          refresh(keys.runs)
        } else for (const key of staleAfter(event)) refresh(key)
      },
      owner: (is) => {
        setOwned(is)
        refresh(keys.runs)
        refresh(['run'])
      },
      connection: (now, before) => {
        setConnection(now)
        if (now === 'live' && before === 'lost') void client.invalidateQueries()
      },
    })
    return () => {
      document.removeEventListener('visibilitychange', shown)
      unfollow()
    }
  }, [client, known])
  return { connection, owned }
}

/** What shows something that an event has changed. */
function staleAfter({ run, story, type }: Event): readonly (readonly string[])[] {
  const ofRun = [keys.runs, keys.run(run), keys.events(run)]
  const ofStory = story === null ? [] : [keys.story(run, story), keys.timeline(run, story)]
  const timeline = [...ofStory, keys.timeline(run, null)]
  switch (type) {
    case 'tool':
      return [...ofRun, ...timeline, keys.diff(run, story)]
    case 'model_call':
      return [...ofRun, ...timeline, keys.figures(run)]
    case 'chat':
    case 'escalation':
    case 'escalation_answered':
      return [...ofRun, ...ofStory, keys.chat(run)]
    default:
      return [
        ...ofRun,
        ...timeline,
        keys.chat(run),
        keys.report(run),
        keys.figures(run),
        keys.verifications(run),
        ['diff', run],
      ]
  }
}
