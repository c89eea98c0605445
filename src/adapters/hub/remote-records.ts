import { type RecordQuery, recordQueries } from '../../domain/hub/record-queries.ts'
import { limits } from '../../domain/limits.ts'
import type { Records, StateReader } from '../../ports/store.ts'
import type { Exchange } from './exchange.ts'

interface Waiting {
  readonly query: RecordQuery
  readonly args: readonly unknown[]
  resolve(answer: unknown): void
  reject(error: unknown): void
}

type Answers = readonly unknown[]

/** The records of a hub's state. Queries of one turn of the event loop share one request. */
export function createRemoteRecords({ ask }: Pick<Exchange, 'ask'>): StateReader {
  let waiting: Waiting[] = []

  function query(name: RecordQuery, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      waiting.push({ query: name, args: withoutTail(args), resolve, reject })
      if (waiting.length === 1) setImmediate(send)
    })
  }

  function send(): void {
    const together = waiting
    waiting = []
    for (let i = 0; i < together.length; i += limits.hub.queries)
      void sendAll(together.slice(i, i + limits.hub.queries))
  }

  async function sendAll(asked: readonly Waiting[]): Promise<void> {
    try {
      const queries = asked.map(({ query, args }) => ({ query, args }))
      const { answers } = (await ask({
        method: 'POST',
        path: '/api/records',
        body: JSON.stringify({ queries }),
      })) as { answers: Answers }
      for (const [i, { query, resolve }] of asked.entries()) resolve(fromJson(query, answers[i]))
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
  }

  const offered = recordQueries.map((name) => [name, (...args: readonly unknown[]) => query(name, args)] as const)
  return {
    ...(Object.fromEntries(offered) as unknown as Pick<Records, RecordQuery>),
    ...notOffered,
    close: async () => {},
  }
}

/** Rows that no command of a client reads. Some of them are secrets of the hub. */
const notOffered: Pick<Records, Exclude<keyof Records, RecordQuery>> = {
  hubTokens: refused,
  hubToken: refused,
  hubSession: refused,
  commandAt: refused,
  acceptanceTests: refused,
  workload: refused,
  machineCounts: refused,
  runsSince: refused,
  timeline: refused,
  contextFiles: refused,
  chatMessage: refused,
  hasAnswered: refused,
  holdsReservation: refused,
  spendingOver: refused,
  forgeCallsNamed: refused,
}

function refused(): never {
  throw new Error('a hub does not offer these rows to its clients')
}

/** JSON has no undefined, so trailing arguments that were left out stay out. */
function withoutTail(args: readonly unknown[]): readonly unknown[] {
  const last = args.findLastIndex((arg) => arg !== undefined)
  return args.slice(0, last + 1)
}

function fromJson(query: RecordQuery, answer: unknown): unknown {
  return query === 'toolCallCounts' ? new Map(answer as readonly [unknown, unknown][]) : answer
}
