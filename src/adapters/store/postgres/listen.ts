import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import pg, { type ClientConfig } from 'pg'
import { limits } from '../../../domain/limits.ts'
import { named } from './named-statements.ts'
import { isStalePlan } from './postgres-error.ts'
import type { Session } from './session.ts'

export interface Listening {
  readonly config: ClientConfig
  readonly channel: string
  /** Called with the payload, or with null if notifications may have been missed. */
  readonly hear: (payload: string | null) => void
}

export interface Listener {
  /**
   * Sends a query on the same connection, without retries. Queries that may wait for locks use
   * another connection.
   */
  readonly ask: Session['ask']
  /** Drops a connection on which nothing arrives any more. */
  renew(): void
  close(): Promise<void>
}

interface Connection {
  readonly client: pg.Client
  readonly socket: Socket
  readonly ended: Promise<unknown>
}

/**
 * Receives notifications on a separate connection, which is reopened whenever it is lost. Resolves
 * with the first connection.
 */
export async function listen({ config, channel, hear }: Listening): Promise<Listener> {
  const closing = new AbortController()
  let connection = await connect()
  const keeping = keep()

  async function connect(): Promise<Connection> {
    const socket = new Socket()
    const client = new pg.Client({ ...config, pipeline: true, stream: () => socket })
    const ended = new Promise((resolve) => client.once('end', resolve).on('error', resolve))
    client.on('notification', ({ payload = '' }) => hear(payload))
    try {
      await client.connect()
      await client.query(`listen ${client.escapeIdentifier(channel)}`)
      return { client, socket, ended }
    } catch (error) {
      socket.destroy()
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
      if (closing.signal.aborted) next.socket.destroy()
      else hear(null)
    }
  }

  return {
    async ask(text, values = []) {
      const asked = connection
      return asked.client.query(named(text, values)).catch((error: unknown) => {
        if (isStalePlan(error)) asked.socket.destroy()
        throw error
      })
    },
    renew: () => void connection.socket.destroy(),
    async close() {
      closing.abort()
      connection.socket.destroy()
      await keeping
    },
  }
}
