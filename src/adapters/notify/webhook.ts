import { once } from 'node:events'
import { connect } from 'node:net'
import { limits } from '../../domain/limits.ts'
import type { Delivery, Notifier } from '../../ports/notifier.ts'

export interface WebhookOptions {
  readonly url: string
  readonly timeoutMs?: number
}

/**
 * Posts the notice as JSON, with its id as `Idempotency-Key`. A redirect is a failure, since the
 * notice must only go to a configured address.
 */
export function createWebhook({ url, timeoutMs = limits.notify.timeoutMs }: WebhookOptions): Notifier {
  const { origin } = new URL(url)
  return {
    name: 'webhook',
    async deliver(notice, signal) {
      const timeout = AbortSignal.timeout(timeoutMs)
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': notice.id, 'user-agent': 'drydock' },
          body: JSON.stringify(notice),
          redirect: 'manual',
          signal: AbortSignal.any([signal, timeout]),
        })
        await response.body?.cancel()
        return answered(origin, response.status)
      } catch (error) {
        const why = timeout.aborted
          ? `gave no answer within ${timeoutMs / 1_000} s`
          : `cannot be reached${codeOf(error)}`
        return { ok: false, error: `${origin} ${why}`, retryable: true }
      }
    },
    async check() {
      const found = `webhook at ${origin}`
      const error = await tryToConnect(new URL(url)).catch((cause: unknown) => cause)
      const problem = error === null ? null : `${origin} cannot be reached${codeOf(error)}`
      return { found, problem }
    },
  }
}

/** Statuses under 500 that may be temporary. */
const passing = [408, 425, 429]

function answered(origin: string, status: number): Delivery {
  if (status >= 200 && status < 300) return { ok: true }
  const redirects = status >= 300 && status < 400
  const error = `${origin} answered ${status}${redirects ? ', a redirect, which is not followed' : ''}`
  return { ok: false, error, retryable: status >= 500 || passing.includes(status) }
}

/** Connects without sending anything. */
async function tryToConnect({ protocol, hostname, port }: URL): Promise<null> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(limits.notify.connectMs) })
    return null
  } finally {
    socket.destroy()
  }
}

/** A code such as `ECONNREFUSED`, from an error or from its cause. */
function codeOf(error: unknown): string {
  const codes = [error, error instanceof Error ? error.cause : null].map((each) =>
    each instanceof Error && 'code' in each && typeof each.code === 'string' ? each.code : null,
  )
  const code = codes.find((each) => each !== null)
  return code === undefined ? '' : ` (${code})`
}
