import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface S3Request {
  readonly method: string
  readonly path: string
  readonly body: Buffer
}

/** Answers instead of the server; undefined lets the request through. */
export type Fault = (
  asked: S3Request,
  response: ServerResponse,
) => undefined | 'answered' | Promise<undefined | 'answered'>

/** A proxy between Drydock and an S3 server, which can change any answer. */
export interface Between {
  readonly url: string
  readonly asked: readonly S3Request[]
  /** Null lets everything through. */
  fault(next: Fault | null): void
  close(): Promise<void>
}

export async function standBetween(to: string): Promise<Between> {
  const asked: S3Request[] = []
  let fault: Fault | null = null
  const server = createServer(async (incoming, response) => {
    response.on('error', () => {})
    const body = await buffer(incoming).catch(() => null)
    if (body === null) return
    const each = { method: incoming.method ?? '', path: incoming.url ?? '', body }
    asked.push(each)
    if ((await fault?.(each, response)) !== 'answered') pass(to, { incoming, body, response })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    fault(next) {
      fault = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Passing {
  readonly incoming: IncomingMessage
  readonly body: Buffer
  readonly response: ServerResponse
}

function pass(to: string, { incoming, body, response }: Passing): void {
  const { method, url = '', headers } = incoming
  const onward = request(new URL(url, to), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  onward.end(body)
}

export const hangs: Fault = () => 'answered'

export const breaksOff: Fault = (_asked, response) => {
  response.destroy()
  return 'answered'
}

export const answers =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Fault =>
  (_asked, response) => {
    response.writeHead(status, headers).end(body)
    return 'answered'
  }

export const errorXml = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`
