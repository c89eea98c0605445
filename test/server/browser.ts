import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ReadableStream } from 'node:stream/web'
import { onTestFinished } from 'vitest'
import type { Event } from '../../src/api/events.ts'
import type { NowChanges } from '../../src/api/now.ts'
import { freshTokenSchema, openedSessionSchema, tokenHeader } from '../../src/api/session.ts'
import { fetchFrom, serverAt } from './in-process.ts'

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** The parts of a browser's request; every header can be forged. */
export interface Asking {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends a raw request, without headers that a client would add or forbid. */
export async function ask(port: number, path: string, asking: Asking = {}): Promise<Answer> {
  const { status, headers, body } = await open(port, path, asking)
  return { status, headers, body: await text(body) }
}

interface OpenStream extends Omit<Answer, 'body'> {
  readonly body: Readable
}

/** Connects over a socket, or to a server of this process without one. */
async function open(port: number, path: string, { method = 'GET', headers = {}, body }: Asking): Promise<OpenStream> {
  const all = { Host: `127.0.0.1:${port}`, ...headers }
  const fetch = serverAt(port)
  if (fetch === null) return send({ host: '127.0.0.1', port, path, method, headers: all, agent: false }, body)
  const answer = await fetchFrom(fetch, { url: `http://${all.Host}${path}`, method, headers: all, body })
  const cookies = answer.headers.getSetCookie()
  return {
    status: answer.status,
    headers: { ...Object.fromEntries(answer.headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) },
    body: answer.body === null ? Readable.from([]) : Readable.fromWeb(answer.body as ReadableStream),
  }
}

function send(options: RequestOptions, body: string | undefined): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = request(options, (answer) =>
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer }),
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** A page of the dashboard in a browser with a session. */
export interface Page {
  readonly port: number
  readonly session: string
  readonly key: string
  /** The headers of each request. */
  readonly headers: Readonly<Record<string, string>>
  /** The headers of a request that acts, with a fresh token. */
  acting(): Promise<Readonly<Record<string, string>>>
  get<T>(path: string): Promise<T>
  /** The status and the body of the answer. */
  post(path: string, body: object): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>
  events(path?: string, headers?: Readonly<Record<string, string>>): Promise<EventStream>
}

/** Follows the printed link, like the dashboard. */
export async function signIn(link: string): Promise<Page> {
  const { port: given, hash } = new URL(link)
  const port = Number(given)
  const origin = `http://127.0.0.1:${port}`
  const json = { Origin: origin, 'Content-Type': 'application/json' }
  const token = hash.replace('#token=', '')
  const signed = await ask(port, '/session', { method: 'POST', headers: json, body: JSON.stringify({ token }) })
  if (signed.status !== 200) throw new Error(`no session: ${signed.status} ${signed.body}`)
  const { session, key } = openedSessionSchema.parse(JSON.parse(signed.body))
  const own = { Authorization: `Bearer ${session}` }
  const acting = async () => {
    const asking = { method: 'POST', headers: { ...json, ...own }, body: JSON.stringify({ key }) }
    const { body } = await ask(port, '/api/session/token', asking)
    return { ...json, ...own, [tokenHeader]: freshTokenSchema.parse(JSON.parse(body)).token }
  }
  return {
    port,
    session,
    key,
    headers: own,
    acting,
    async get(path) {
      const { status, body } = await ask(port, path, { headers: own })
      if (status !== 200) throw new Error(`${path}: ${status} ${body}`)
      return JSON.parse(body)
    },
    async post(path, body) {
      const asking = { method: 'POST', headers: await acting(), body: JSON.stringify(body) }
      const answer = await ask(port, path, asking)
      return { status: answer.status, body: JSON.parse(answer.body) }
    },
    events: async (path = '/api/events', headers = {}) =>
      follow(await open(port, path, { headers: { ...own, ...headers } })),
  }
}

/** The event stream of a server, with these headers. */
export async function followStream(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<EventStream> {
  return follow(await open(port, path, { headers }))
}

export interface EventStream {
  readonly status: number
  /** Events of the log that have arrived so far. */
  readonly events: readonly Event[]
  /** The value of the last `owner` message; null before the first. */
  owned(): boolean | null
  /** Resolves with the first matching message, including earlier ones. */
  until<E extends Event>(isMeant: (event: Event) => event is E): Promise<E>
  until(isMeant: (event: Event) => boolean): Promise<Event>
  untilOwned(owned: boolean): Promise<void>
  /** Changes of conversations so far. */
  readonly told: readonly NowChanges[]
  untilTold(isMeant: (changes: NowChanges) => boolean): Promise<NowChanges>
  /** Resolves when the server ends the stream. */
  readonly ended: Promise<void>
  close(): void
}

function follow({ status, body: response }: OpenStream): EventStream {
  const events: Event[] = []
  const told: NowChanges[] = []
  let owned: boolean | null = null
  const listeners = new Set<() => void>()
  let rest = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      )
      if (fields.event === 'owner') owned = JSON.parse(fields.data ?? '').owned
      else if (fields.event === 'now') told.push(JSON.parse(fields.data ?? ''))
      // Leaves like a page, which the server waits for before it closes.
      else if (fields.event === 'ending') response.destroy()
      // A message with another name does not belong to the log.
      else if (fields.data !== undefined && fields.event === undefined) {
        const event = JSON.parse(fields.data) as Event
        if (fields.id !== String(event.id)) throw new Error(`the id of ${block}`)
        events.push(event)
      }
    }
    for (const listener of listeners) listener()
  })
  const when = (isTrue: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!isTrue()) return
        listeners.delete(look)
        resolve()
      }
      listeners.add(look)
      look()
    })
  const ended = new Promise<void>((resolve) => response.on('close', resolve).on('error', () => resolve()))
  onTestFinished(() => void response.destroy())
  return {
    status,
    events,
    owned: () => owned,
    async until<E extends Event>(isMeant: (event: Event) => event is E) {
      await when(() => events.some(isMeant))
      return events.find(isMeant) as E
    },
    told,
    async untilTold(isMeant) {
      await when(() => told.some(isMeant))
      return told.find(isMeant) as NowChanges
    },
    untilOwned: (wanted) => when(() => owned === wanted),
    ended,
    close: () => void response.destroy(),
  }
}
