import type { IncomingMessage } from 'node:http'

/** The time that a client may take to send a whole request. */
export interface RequestTime {
  /** Starts the time limit of a request; the connection ends when it expires. */
  begin(request: IncomingMessage): void
  /** Extends the limit for a request of a known token. */
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
