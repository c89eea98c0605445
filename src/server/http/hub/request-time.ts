import type { IncomingMessage } from 'node:http'

/** How long a client may take to say a whole request. */
export interface RequestTime {
  /** Its time runs from now on; the connection ends with it. */
  begin(request: IncomingMessage): void
  /** Somebody whose name is known may take longer. */
  lift(request: IncomingMessage): void
  isLifted(request: IncomingMessage): boolean
}

export function createRequestTime(ms: number): RequestTime {
  const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>()
  const lifted = new WeakSet<IncomingMessage>()
  const stop = (request: IncomingMessage) => clearTimeout(timers.get(request))
  return {
    lift(request) {
      stop(request)
      lifted.add(request)
    },
    isLifted: (request) => lifted.has(request),
    begin(request) {
      if (request.complete || request.destroyed) return
      timers.set(
        request,
        setTimeout(() => request.complete || request.destroy(), ms),
      )
      request.once('close', () => stop(request))
    },
  }
}
