import { createEventHub, type FromPage, type PagePort, type ToPage } from './event-hub.ts'

/** The lock that shows the hub that this page exists: it is released with the page. */
const lock = `drydock.page.${crypto.randomUUID()}`
void navigator.locks?.request(lock, () => new Promise(() => {}))

export interface HubMembership {
  tell(what: FromPage): void
  leave(): void
}

interface Joining {
  readonly session: string
  readonly after: () => number
  readonly looks: () => boolean
  readonly watches: () => readonly string[]
  readonly heard: (what: ToPage) => void
}

/**
 * Joins the stream that all tabs of this browser share. If shared workers are missing or fail to
 * load, the page gets its own stream.
 */
export function joinHub({ session, after, looks, watches, heard }: Joining): HubMembership {
  let port = sharedPort(() => use(ownPort()))
  const hear = ({ data }: MessageEvent<ToPage>) => heard(data)
  const join = () =>
    port.postMessage({
      type: 'join',
      session,
      lock,
      after: after(),
      looks: looks(),
      watches: watches(),
    } satisfies FromPage)
  const use = (next: MessagePort) => {
    port.removeEventListener('message', hear)
    port = next
    port.addEventListener('message', hear)
    port.start()
    join()
  }
  const tell = (what: FromPage) => port.postMessage(what)
  const hidden = () => tell({ type: 'leave' })
  // The browser may show a cached page again without loading it.
  const shown = ({ persisted }: PageTransitionEvent) => persisted && join()
  window.addEventListener('pagehide', hidden)
  window.addEventListener('pageshow', shown)
  use(port)
  return {
    tell,
    leave() {
      window.removeEventListener('pagehide', hidden)
      window.removeEventListener('pageshow', shown)
      port.removeEventListener('message', hear)
      tell({ type: 'leave' })
    },
  }
}

function sharedPort(failed: () => void): MessagePort {
  if (!('SharedWorker' in window)) return ownPort()
  const worker = new SharedWorker(new URL('./event-worker.ts', import.meta.url), { type: 'module' })
  worker.addEventListener('error', failed, { once: true })
  return worker.port
}

function ownPort(): MessagePort {
  const { port1, port2 } = new MessageChannel()
  createEventHub().join(port2 satisfies PagePort)
  return port1
}
