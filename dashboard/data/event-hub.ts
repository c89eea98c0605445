import type { Event } from '../../src/api/events.ts'
import { type Connection, type Following, follow } from './follow.ts'

/** What a page tells the hub. */
export type FromPage =
  | {
      readonly type: 'join'
      readonly session: string
      /** The newest event that the page knows of. */
      readonly after: number
      /** The name of a lock that the page holds as long as it is there. */
      readonly lock: string
      readonly looks: boolean
    }
  /** Whether somebody looks at the page, or wants to be told what happens. */
  | { readonly type: 'looks'; readonly looks: boolean }
  /** The page has asked for all that it shows once more, after `ending`. */
  | { readonly type: 'settled' }
  | { readonly type: 'leave' }

/** What the hub tells a page. */
export type ToPage =
  | { readonly type: 'event'; readonly event: Event }
  | { readonly type: 'owner'; readonly owned: boolean }
  | { readonly type: 'connection'; readonly now: Connection; readonly before: Connection }
  /** Events have come that this page was not told of. */
  | { readonly type: 'missed' }
  | { readonly type: 'ending' }
  | { readonly type: 'refused' }

/** One end of a channel to a page. */
export type PagePort = Pick<MessagePort, 'postMessage' | 'addEventListener' | 'start'>

interface Page {
  readonly port: PagePort
  looks: boolean
  isSettled: boolean
}

/**
 * One event stream for all pages of a session, so that a browser's few connections to a server stay
 * free for requests. While nobody looks at any page there is no stream; later it goes on where it
 * was.
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
          const page = { port, looks: said.looks, isSettled: false }
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

interface Stream {
  add(page: Page, after: number): void
  heard(page: Page, said: FromPage): void
  /** Whether it was the last one. */
  remove(page: Page): boolean
}

function createStream(session: string, start: number): Stream {
  const pages = new Set<Page>()
  let last = start
  let connection: Connection = 'connecting'
  let owned: boolean | null = null
  let following: Following | null = null

  const tellAll = (what: ToPage) => {
    for (const { port } of pages) port.postMessage(what)
  }
  const become = (now: Connection, before: Connection) => {
    connection = now
    tellAll({ type: 'connection', now, before })
  }

  /** There is a stream as long as somebody looks. */
  function settle(): void {
    const isWanted = [...pages].some(({ looks }) => looks)
    if (isWanted === (following !== null)) return
    if (!isWanted) {
      following?.stop()
      following = null
      become('connecting', connection)
      return
    }
    following = follow(session, last, {
      event(event) {
        last = event.id
        tellAll({ type: 'event', event })
      },
      owner(is) {
        owned = is
        tellAll({ type: 'owner', owned: is })
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
      settle()
    },
    heard(page, said) {
      if (said.type === 'looks') {
        page.looks = said.looks
        settle()
      } else if (said.type === 'settled') {
        page.isSettled = true
        if ([...pages].every(({ isSettled }) => isSettled)) following?.leave()
      }
    },
    remove(page) {
      pages.delete(page)
      settle()
      return pages.size === 0
    },
  }
}
