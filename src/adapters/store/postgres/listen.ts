import { setTimeout as delay } from 'node:timers/promises'
import pg, { type ClientConfig } from 'pg'
import { limits } from '../../../domain/limits.ts'

export interface Listening {
  readonly config: ClientConfig
  readonly channel: string
  /** With the payload, or with null when something may have been missed. */
  readonly hear: (payload: string | null) => void
}

interface Connection {
  readonly client: pg.Client
  readonly ended: Promise<unknown>
}

/**
 * Hears notifications on a connection of its own, which is made again whenever it is lost. Fulfilled
 * with the first connection. Returns a function that ends it.
 */
export async function listen({ config, channel, hear }: Listening): Promise<() => Promise<void>> {
  const closing = new AbortController()
  let connection = await connect()
  const keeping = keep()

  async function connect(): Promise<Connection> {
    const client = new pg.Client(config)
    const ended = new Promise((resolve) => client.once('end', resolve).on('error', resolve))
    client.on('notification', ({ payload = '' }) => hear(payload))
    try {
      await client.connect()
      await client.query(`listen ${client.escapeIdentifier(channel)}`)
      return { client, ended }
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
  }

  async function keep(): Promise<void> {
    while (!closing.signal.aborted) {
      await connection.ended
      await delay(limits.database.longestPauseMs, undefined, { signal: closing.signal }).catch(() => {})
      if (closing.signal.aborted) return
      const next = await connect().catch(() => null)
      if (next === null) continue
      connection = next
      if (closing.signal.aborted) await next.client.end().catch(() => {})
      else hear(null)
    }
  }

  return async () => {
    closing.abort()
    await connection.client.end().catch(() => {})
    await keeping
  }
}
