import type { IncomingMessage } from 'node:http'

/** How long a client may take to say a whole request. */
export interface RequestTime {
  /** Its time runs from now on; the connection ends with it. */
  begin(request: IncomingMessage): void
  /** Somebody whose name is known may take longer. */
  lift(request: IncomingMessage): void
}

export function createRequestTime(ms: number): RequestTime {
  const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>()
  const lift: RequestTime['lift'] = (request) => clearTimeout(timers.get(request))
  return {
    lift,
    begin(request) {
      if (request.complete || request.destroyed) return
      lift(request)
      timers.set(
        request,
        setTimeout(() => request.complete || request.destroy(), ms),
      )
      request.once('close', () => lift(request))
    },
  }
}
