import pg, { type ClientConfig } from 'pg'
import { named } from './named-statements.ts'
import { isStalePlan } from './postgres-error.ts'
import type { Answer } from './postgres-kysely.ts'

/** One connection to the server, used for one transaction after another. */
export interface Session {
  /** Waits for the connection, which is reopened if it was lost. */
  connected(): Promise<void>
  /**
   * Sends a query on the current connection; a lost one is not reopened. Queries are sent at once,
   * and answered in order.
   */
  ask(text: string, values?: readonly unknown[]): Promise<Answer>
  /** True if an error came from this session, and not from its caller. */
  raised(error: unknown): boolean
  close(): Promise<void>
}

export interface SessionOptions {
  readonly config: ClientConfig
  /** Called with each new connection before any other query. */
  readonly onConnect: (ask: Session['ask']) => Promise<void>
}

export function createSession({ config, onConnect }: SessionOptions): Session {
  let client: pg.Client | null = null
  const errors = new WeakSet<object>()
  const raise = (error: unknown): never => {
    if (error instanceof Error) errors.add(error)
    throw error
  }

  async function connect(): Promise<pg.Client> {
    const made = new pg.Client({ ...config, pipeline: true })
    const forget = () => {
      if (client === made) client = null
    }
    made.on('error', forget)
    made.on('end', forget)
    try {
      await made.connect()
      await onConnect((text, values) => askOn(made, text, values))
      return made
    } catch (error) {
      await made.end().catch(() => {})
      throw error
    }
  }

  async function drop(): Promise<void> {
    const own = client
    client = null
    await own?.end().catch(() => {})
  }

  return {
    async connected() {
      client ??= await connect().catch(raise)
    },
    async ask(text, values) {
      if (client === null) return raise(new Error('Connection terminated before the question'))
      const asked = client
      return askOn(asked, text, values).catch((error: unknown) => {
        if (isStalePlan(error) && client === asked) void drop()
        return raise(error)
      })
    },
    raised: (error) => error instanceof Error && errors.has(error),
    close: drop,
  }
}

/** Several statements in one query return the answer of the last one. */
async function askOn(client: pg.Client, text: string, values: readonly unknown[] = []): Promise<Answer> {
  const answers: Answer | readonly Answer[] = await client.query(named(text, values))
  if (!Array.isArray(answers)) return answers as Answer
  return answers.at(-1) ?? { rows: [], rowCount: 0 }
}
