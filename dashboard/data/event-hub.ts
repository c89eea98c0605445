import type { Event } from '../../src/api/events.ts'
import type { NowChanges } from '../../src/api/now.ts'
import { type Connection, type Following, follow } from './follow.ts'
import { type LanesNow, mostWatched, nameOf, noLanes, withChanges } from './now-told.ts'

/** Messages from a page to the hub. */
export type FromPage =
  | {
      readonly type: 'join'
      readonly session: string
      /** The newest event that the page knows. */
      readonly after: number
      /** The name of a lock that the page holds while it exists. */
      readonly lock: string
      readonly looks: boolean
      readonly watches: readonly string[]
    }
  /** True if somebody looks at the page, or wants notifications. */
  | { readonly type: 'looks'; readonly looks: boolean }
  /** The names of the Runs and stories whose conversations the page shows. */
  | { readonly type: 'watch'; readonly watches: readonly string[] }
  /** The page has fetched all its data again after `ending`. */
  | { readonly type: 'settled' }
  | { readonly type: 'leave' }

/** Messages from the hub to a page. */
export type ToPage =
  | { readonly type: 'event'; readonly event: Event }
  | { readonly type: 'owner'; readonly owned: boolean }
  | { readonly type: 'now'; readonly changes: NowChanges }
  /** The shown names for which the stream sends nothing, because there are too many. */
  | { readonly type: 'left_out'; readonly names: readonly string[] }
  | { readonly type: 'connection'; readonly now: Connection; readonly before: Connection }
  /** Events have arrived that were not sent to this page. */
  | { readonly type: 'missed' }
  | { readonly type: 'ending' }
  | { readonly type: 'refused' }

/** One end of a channel to a page. */
export type PagePort = Pick<MessagePort, 'postMessage' | 'addEventListener' | 'start'>

/** Events that may change the number of questions in a page's title, even in a hidden tab. */
export const changesTitle: ReadonlySet<Event['type']> = new Set([
  'escalation',
  'escalation_answered',
  'run_state',
  'result',
])

interface Page {
  readonly port: PagePort
  looks: boolean
  /** True if an event was not sent to this page. */
  hasMissed: boolean
  watches: readonly string[]
  isSettled: boolean
}

/**
 * One event stream for all pages of a session, so that a browser's few connections to a server stay
 * free for requests. A hidden page gets few events, and once it is visible, a notice that it has
 * missed some. While all pages are hidden there is no stream; later it continues where it stopped.
 */
export function createEventHub(): { join(port: PagePort): void } {
  const streams = new Map<string, Stream>()

  return {
    join(port) {
      let leave: () => void = () => {}
      let hear: (said: FromPage) => void = () => {}
      port.addEventListener('message', (message) => {
        const said = (message as MessageEvent<FromPage>).data
        if (said.type === 'join') {
          leave()
          const stream = streams.get(said.session) ?? createStream(said.session, said.after)
          streams.set(said.session, stream)
          const page = { port, looks: said.looks, watches: said.watches, hasMissed: false, isSettled: false }
          stream.add(page, said.after)
          leave = () => {
            if (stream.remove(page)) streams.delete(said.session)
          }
          hear = (heard) => stream.heard(page, heard)
          void navigator.locks?.request(said.lock, () => leave())
        } else if (said.type === 'leave') leave()
        else hear(said)
      })
      port.start()
    },
  }
}

/** Milliseconds in which changes of the pages are combined. */
const togetherMs = 30

interface Stream {
  add(page: Page, after: number): void
  heard(page: Page, said: FromPage): void
  /** Returns true if it was the last page. */
  remove(page: Page): boolean
}

function createStream(session: string, start: number): Stream {
  const pages = new Set<Page>()
  let last = start
  let connection: Connection = 'connecting'
  let owned: boolean | null = null
  let following: Following | null = null
  let switching: ReturnType<typeof setTimeout> | undefined
  let shown: readonly string[] = []
  /** The current state of everything that is streamed, for a page that begins to show it. */
  const known = new Map<string, LanesNow>()

  const tellAll = (what: ToPage) => {
    for (const { port } of pages) port.postMessage(what)
  }
  const become = (now: Connection, before: Connection) => {
    connection = now
    tellAll({ type: 'connection', now, before })
  }

  /**
   * The names shown for longest come first, so that a new window does not displace those of others.
   */
  function watched(): readonly string[] {
    const now = new Set([...pages].flatMap(({ watches }) => watches))
    shown = [...new Set([...shown.filter((name) => now.has(name)), ...now])]
    return shown.slice(0, mostWatched)
  }

  /** The stream is switched to the names that pages now show. */
  function settleWatched(): void {
    clearTimeout(switching)
    switching = setTimeout(() => {
      const names = watched()
      for (const name of known.keys()) if (!names.includes(name)) known.delete(name)
      following?.watch(names)
      tellAll({ type: 'left_out', names: shown.slice(mostWatched) })
    }, togetherMs)
  }

  function catchUp({ port, watches }: Page, had: readonly string[]): void {
    for (const name of watches) {
      const now = had.includes(name) ? undefined : known.get(name)
      if (now === undefined) continue
      const [run = '', story = null] = name.split('/')
      const at = new Date(Date.now() + now.aheadMs).toISOString()
      const changes = { run, story, at, lanes: [...now.lanes], ids: now.lanes.map(({ id }) => id) }
      port.postMessage({ type: 'now', changes } satisfies ToPage)
    }
  }

  /** Opens the stream while a page is visible, and closes it otherwise. */
  function settle(): void {
    const isWanted = [...pages].some(({ looks }) => looks)
    if (isWanted === (following !== null)) return
    if (!isWanted) {
      following?.stop()
      following = null
      become('connecting', connection)
      return
    }
    following = follow(session, last, watched(), {
      event(event) {
        last = event.id
        for (const page of pages) {
          if (page.looks || changesTitle.has(event.type))
            page.port.postMessage({ type: 'event', event } satisfies ToPage)
          else page.hasMissed = true
        }
      },
      owner(is) {
        owned = is
        tellAll({ type: 'owner', owned: is })
      },
      now(changes) {
        const name = nameOf(changes)
        known.set(name, withChanges(known.get(name) ?? noLanes, changes))
        for (const { port, watches } of pages)
          if (watches.includes(name)) port.postMessage({ type: 'now', changes } satisfies ToPage)
      },
      connection: become,
      ending() {
        for (const page of pages) page.isSettled = false
        tellAll({ type: 'ending' })
      },
      refused() {
        following = null
        tellAll({ type: 'refused' })
      },
    })
  }

  return {
    add(page, after) {
      pages.add(page)
      page.port.postMessage({ type: 'connection', now: connection, before: 'connecting' } satisfies ToPage)
      if (owned !== null) page.port.postMessage({ type: 'owner', owned } satisfies ToPage)
      if (after < last) page.port.postMessage({ type: 'missed' } satisfies ToPage)
      catchUp(page, [])
      settle()
      settleWatched()
    },
    heard(page, said) {
      if (said.type === 'looks') {
        page.looks = said.looks
        if (page.looks && page.hasMissed) {
          page.hasMissed = false
          page.port.postMessage({ type: 'missed' } satisfies ToPage)
        }
        settle()
      } else if (said.type === 'watch') {
        const had = page.watches
        page.watches = said.watches
        catchUp(page, had)
        settleWatched()
      } else if (said.type === 'settled') {
        page.isSettled = true
        if ([...pages].every(({ isSettled }) => isSettled)) following?.leave()
      }
    },
    remove(page) {
      pages.delete(page)
      settle()
      settleWatched()
      return pages.size === 0
    },
  }
}
