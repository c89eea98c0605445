import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** A span in its sent form, with its attributes as an object. */
export interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly status: object
}

export interface OtlpRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly taken: boolean
}

/** Answers one request; returns true if the answer accepts it. */
type Answer = (response: ServerResponse) => boolean

export const takes: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  return true
}

export const refuses =
  (status: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (response) => {
    response.writeHead(status, headers).end(body)
    return false
  }

export const neverAnswers: Answer = () => false

export interface OtlpReceiver {
  readonly url: string
  readonly received: readonly OtlpRequest[]
  answer(next: Answer): void
  /** Resolves when enough was received, including earlier requests. */
  until(isEnough: (received: readonly OtlpRequest[]) => boolean): Promise<void>
}

/** A real server that receives OTLP as JSON. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const received: OtlpRequest[] = []
  const listeners = new Set<() => void>()
  let answer = takes
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const { url: path = '', headers } = request
    received.push({ path, headers, body, taken: answer(response) })
    for (const listener of listeners) listener()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer(next) {
      answer = next
    },
    until: (isEnough) =>
      new Promise((resolve) => {
        const look = () => {
          if (!isEnough(received)) return
          listeners.delete(look)
          resolve()
        }
        listeners.add(look)
        look()
      }),
  }
}

/** The accepted spans in order, including repeated ones. */
export function spansIn(received: readonly Pick<OtlpRequest, 'body' | 'path' | 'taken'>[]): readonly SentSpan[] {
  return received.filter(({ path, taken }) => taken && path === '/v1/traces').flatMap(({ body }) => spansOf(body))
}

export function spansOf(body: string): readonly SentSpan[] {
  const { resourceSpans } = JSON.parse(body)
  return resourceSpans
    .flatMap((each: { scopeSpans: { spans: object[] }[] }) => each.scopeSpans.flatMap(({ spans }) => spans))
    .map((span: { attributes: Pair[] }) => ({ ...span, attributes: attributesOf(span.attributes) }))
}

interface Pair {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

export function attributesOf(pairs: readonly Pair[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]))
}
