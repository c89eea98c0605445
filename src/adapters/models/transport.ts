import type { RequestInit, Response } from 'undici'

export type Transport = (url: string, init: RequestInit) => Promise<Response>

/**
 * A fetch with connections of its own and no timeouts: undici's would end a stream that is quiet for 300 s. Idle
 * connections do not keep the process alive. A redirect is an answer like any other: following one could carry the
 * key to another host. The library is loaded with the first request.
 */
export function createTransport(): Transport {
  let opened: Promise<Transport> | undefined
  return async (url, init) => {
    opened ??= open()
    const send = await opened
    return send(url, init)
  }
}

async function open(): Promise<Transport> {
  const { Agent, fetch } = await import('undici')
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  return (url, init) => fetch(url, { ...init, dispatcher, redirect: 'manual' })
}
