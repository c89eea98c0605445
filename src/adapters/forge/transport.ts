import { setTimeout as delay } from 'node:timers/promises'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { createKeptAnswers } from './kept-answers.ts'
import { refusal } from './refusal.ts'

export interface TransportOptions {
  /** The name of the forge, for errors. */
  readonly name: string
  /** The base URL of the API. Requests go nowhere else. */
  readonly api: string
}

/**
 * `fetch` for the API of one forge. Resolves with successful answers only, read whole, and throws
 * DrydockErrors for all others.
 */
export type Transport = (url: string | URL, init?: Sending) => Promise<Response>

export interface Sending extends RequestInit {
  /** Set to follow one redirect to another host, without any header, since logs may lie there. */
  readonly leaves?: true
}

/** Idempotent methods, which may be retried. */
const repeatable = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']

/**
 * The headers hold the token, so requests go to no other origin: neither by a link to a next page
 * nor by a redirect. A rate-limited request is retried after the time that the forge names, and a
 * failed one only if it creates nothing. During a longer limit no request is sent. Kept answers are
 * revalidated by their ETag.
 */
export function createTransport({ name, api }: TransportOptions): Transport {
  const { origin } = new URL(api)
  const kept = createKeptAnswers()
  let quietUntil = 0

  async function follow(url: URL, { leaves, ...init }: Sending, signal: AbortSignal): Promise<Response> {
    let at = url
    for (let redirects = 0; redirects <= limits.forge.redirects; redirects += 1) {
      if (at.origin !== origin) throw elsewhere(name, { from: origin, to: at.origin })
      const response = await fetch(at, { ...init, redirect: 'manual', signal })
      const location = response.headers.get('location')
      if (response.status < 300 || response.status >= 400 || response.status === 304 || location === null)
        return readBounded(response, name)
      await response.body?.cancel()
      const next = URL.parse(location, at)
      if (leaves && next !== null && next.origin !== origin)
        return readBounded(await fetch(next, { redirect: 'error', signal }), name)
      if (next === null || next.origin !== origin) throw elsewhere(name, { from: origin, to: next?.origin ?? location })
      const keepsMethod = response.status === 307 || response.status === 308
      if (!keepsMethod && methodOf(init) !== 'GET') throw moved(name, next)
      at = next
    }
    throw unreachable(name, 'redirects in circles')
  }

  /** Waits as long as the forge has asked for. */
  async function quiet(): Promise<void> {
    const wait = quietUntil - Date.now()
    if (wait > limits.forge.waitMs) throw rateLimited(name, wait)
    if (wait > 0) await delay(wait)
  }

  /** Sends a request once; null if the forge may have received it without answering. */
  async function attempt(url: URL, init: Sending, end: AbortSignal): Promise<Response | null> {
    const timeout = AbortSignal.timeout(limits.forge.requestMs)
    try {
      return await follow(url, init, AbortSignal.any([end, timeout]))
    } catch (error) {
      if (error instanceof DrydockError) throw error
      return null
    }
  }

  return async (given, init = {}) => {
    const url = new URL(given)
    const end = AbortSignal.timeout(limits.forge.callMs)
    const isKept = methodOf(init) === 'GET' && !init.leaves
    const mark = isKept ? kept.mark(url.href) : undefined
    const headers = new Headers(init.headers)
    if (mark !== undefined) headers.set('if-none-match', mark)
    await quiet()
    const pauses = repeatable.includes(methodOf(init)) ? limits.forge.retryMs : []
    let waited = 0
    for (let failures = 0; ; ) {
      const response = await attempt(url, { ...init, headers }, end)
      if (response?.ok || response?.status === 304) {
        const now = Date.now()
        if (response.headers.get('x-ratelimit-remaining') === '0') quietUntil = now + waitOf(response.headers, now)
        return isKept ? kept.take(url.href, response) : response
      }
      if (response !== null && (await isRateLimit(response))) {
        const wait = waitOf(response.headers, Date.now())
        waited += wait
        if (waited > limits.forge.waitMs) {
          quietUntil = Date.now() + wait
          throw rateLimited(name, wait)
        }
        await delay(wait)
        continue
      }
      if (response !== null && response.status < 500) throw await refusal(name, response)
      const pause = pauses[failures]
      if (pause === undefined || end.aborted)
        throw unreachable(name, response === null ? 'cannot be reached' : `answered ${response.status}`)
      failures += 1
      await delay(pause)
    }
  }
}

function methodOf({ method = 'GET' }: RequestInit): string {
  return method.toUpperCase()
}

function elsewhere(name: string, { from, to }: { readonly from: string; readonly to: string }): DrydockError {
  return new DrydockError('forge_unreachable', `${name} (${from}) sends requests on to another host, ${to}.`, {
    todo: `Drydock sends your token to no other host. If the forge has moved there, name its new URL in \`forges\` of your configuration.`,
  })
}

function moved(name: string, to: URL): DrydockError {
  return new DrydockError('forge_not_found', `${name} says that the repository has moved to ${to.pathname}.`, {
    todo: 'Give the remote its new URL: git remote set-url origin URL',
  })
}

function unreachable(name: string, why: string): DrydockError {
  return new DrydockError('forge_unreachable', `${name} ${why}.`, {
    todo: 'Run the same command again later. It continues where it stopped, and does nothing twice.',
  })
}

function rateLimited(name: string, waitMs: number): DrydockError {
  const until = new Date(Date.now() + waitMs).toISOString().slice(0, 19)
  return new DrydockError('forge_rate_limited', `${name} takes no more requests of this token until ${until}Z.`, {
    todo: 'Run the same command again then. It continues where it stopped, and does nothing twice.',
  })
}

/** The answer with its body read whole, up to a limit. */
async function readBounded(response: Response, name: string): Promise<Response> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > limits.forge.answerBytes)
      throw new DrydockError('forge_unreachable', `${name} sends an answer over ${limits.forge.answerBytes} bytes.`, {
        todo: 'Check that its URL in `forges` of your configuration is the URL of a forge.',
      })
    chunks.push(chunk)
  }
  const { status, statusText, headers } = response
  const hasBody = ![204, 205, 304].includes(status)
  const read = new Response(hasBody ? Buffer.concat(chunks) : null, { status, statusText, headers })
  // Octokit reads `url`, which a constructed response does not have.
  Object.defineProperty(read, 'url', { value: response.url })
  return read
}

/** True if the answer refuses a request only for the rate limit, so that it had no effect. */
async function isRateLimit(response: Response): Promise<boolean> {
  const { status, headers } = response
  if (status === 429) return true
  if (status !== 403) return false
  if (headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0') return true
  return /rate limit|abuse detection/i.test(await response.clone().text())
}

/** The delay in milliseconds that the forge asks for; a minute if it names none. */
function waitOf(headers: Headers, now: number): number {
  const after = headers.get('retry-after')
  const seconds = Number(after)
  if (after !== null && after.trim() !== '' && Number.isFinite(seconds)) return bounded(seconds * 1_000)
  const date = after === null ? Number.NaN : Date.parse(after)
  if (!Number.isNaN(date)) return bounded(date - now)
  const reset = Number(headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') ?? Number.NaN)
  return Number.isFinite(reset) ? bounded(reset * 1_000 - now) : limits.forge.waitMs
}

/** Clocks differ, so a time in the past means one second, and a very long one is cut. */
function bounded(ms: number): number {
  return Math.min(Math.max(ms, 1_000), limits.forge.longestWaitMs)
}
