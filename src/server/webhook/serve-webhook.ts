import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { ForgeKind } from '../../domain/forge/known-forges.ts'
import { limits } from '../../domain/limits.ts'
import { leaveRoom } from '../leave-room.ts'

export interface WebhookServing {
  readonly kind: ForgeKind
  /** The port on 127.0.0.1. */
  readonly port: number
  readonly secret: string
  /** Called for each request with a valid signature. The content of the request is ignored. */
  readonly onSigned: () => void
}

export interface Webhook {
  readonly port: number
  close(): void
}

/** Listens for a forge's notifications of news. Throws DrydockError `port_taken`. */
export async function serveWebhook({ kind, port, secret, onSigned }: WebhookServing): Promise<Webhook> {
  const { webhookMs: requestTimeout, lookMs: connectionsCheckingInterval } = limits.forge
  const slow = { requestTimeout, headersTimeout: requestTimeout, connectionsCheckingInterval }
  const server = createServer(slow, async (request, response) => {
    try {
      const mac = request.method === 'POST' ? await macOf(request, secret) : null
      const isSigned = mac !== null && isOf(kind, { request, mac, secret })
      response.writeHead(isSigned ? 204 : mac === null ? 405 : 401, { connection: 'close' }).end()
      if (isSigned) onSigned()
    } catch {
      // The body was too large, or broke off.
      request.destroy()
    }
  })
  leaveRoom(server, { waiting: limits.forge.webhookConnections })
  const failed = once(server, 'error').then(([cause]) => {
    throw new DrydockError('port_taken', `The port ${port} for webhooks cannot be used: ${String(cause)}`, {
      todo: 'Name another one: forges.<name>.watch.webhook.port of your configuration.',
      cause,
    })
  })
  server.listen(port, '127.0.0.1')
  await Promise.race([once(server, 'listening'), failed])
  failed.catch(() => undefined)
  const address = server.address()
  return {
    port: address !== null && typeof address === 'object' ? address.port : port,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Hashes the body without storing it, since its sender is not yet known. */
async function macOf(request: IncomingMessage, secret: string): Promise<string> {
  const mac = createHmac('sha256', secret)
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limits.forge.webhookBytes) throw new Error('too much')
    mac.update(chunk)
  }
  return mac.digest('hex')
}

interface SignedRequest {
  readonly request: IncomingMessage
  readonly mac: string
  readonly secret: string
}

/** Checks a signature. GitHub, Gitea and Forgejo sign the body; GitLab sends the secret itself. */
function isOf(kind: ForgeKind, { request: { headers }, mac, secret }: SignedRequest): boolean {
  switch (kind) {
    case 'github':
      return isSame(headers['x-hub-signature-256'], `sha256=${mac}`)
    case 'gitlab':
      return isSame(headers['x-gitlab-token'], secret)
    case 'gitea':
    case 'forgejo':
      return isSame(headers['x-gitea-signature'] ?? headers['x-forgejo-signature'], mac)
    default:
      throw new Error(`unknown forge ${kind satisfies never}`)
  }
}

/** Compares in constant time, so that the duration tells nothing about the secret. */
function isSame(given: string | readonly string[] | undefined, wanted: string): boolean {
  if (typeof given !== 'string') return false
  const digest = (text: string) => createHmac('sha256', wanted).update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}
