import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { DrydockError, type ErrorCode, errorCatalogue } from '../../domain/drydock-error.ts'
import { isObject, parsedJson } from '../../domain/json.ts'
import { limits } from '../../domain/limits.ts'
import { plainText } from '../../domain/plain-text.ts'
import { sentence } from '../../domain/sentence.ts'
import { proxyFor } from '../../http/proxy.ts'
import { type Answer, createTransport } from '../../http/transport.ts'
import type { HubFollower, HubRequest } from '../../ports/hub/hub-client.ts'

export interface ExchangeOptions {
  /** The origins of a hub and its standbys, separated by commas. */
  readonly url: string
  readonly token: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** HTTP requests to a hub. Idempotent requests are retried until they are answered. */
export interface Exchange {
  /** The answer as JSON. */
  ask(asked: HubRequest): Promise<unknown>
  /** A streaming answer; null if it cannot be opened now. */
  open(path: string, signal: AbortSignal): Promise<Readable | null>
  /**
   * An answer that is not JSON, streamed. The iteration rejects when the connection breaks, or is
   * silent for too long.
   */
  stream(path: string): Promise<AsyncIterable<Uint8Array>>
  followedBy(follower: HubFollower): () => void
  /** The address that is currently used. */
  at(): string
}

/** Statuses that mean that the hub, or a proxy before it, is temporarily unavailable. */
const away = [502, 503, 504]

/** The error of a hub that waits for its database. */
const waitsForDatabase: ErrorCode = 'database_unreachable'

/** The error of a hub on standby. */
const standsBy: ErrorCode = 'hub_standby'

export function createExchange({ url: given, token, env }: ExchangeOptions): Exchange {
  const places = given.split(',').map((at) => ({ at, transport: createTransport(proxyFor(at, env, 'bad_usage')) }))
  let [place] = places as [(typeof places)[number]]
  let url = place.at
  let follower: HubFollower | null = null
  let hasAnswered = false
  let isAway = false

  async function attempt({ method, path, body, key }: HubRequest, signal: AbortSignal): Promise<Answer> {
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const named = key === undefined ? {} : { 'idempotency-key': key }
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json', ...json, ...named }
    return place.transport(new URL(path, place.at).href, { method, headers, body, signal })
  }

  /** The answer, or the reason why the hub has not answered. */
  async function tryOnce(asked: HubRequest): Promise<{ readonly answer: string } | { readonly why: unknown }> {
    const timeout = AbortSignal.timeout(limits.client.requestMs)
    // Once the follower has stopped, a request is tried once more without its signal.
    const stop = follower?.stop
    const signal = stop === undefined || stop.aborted ? timeout : AbortSignal.any([timeout, stop])
    try {
      const { status, body } = await attempt(asked, signal)
      const answer = await text(body)
      const why = whyAway(status, answer)
      if (why !== null) return { why }
      if (status < 200 || status >= 300) throw refusalOf(url, status, answer)
      return { answer }
    } catch (error) {
      if (error instanceof DrydockError) throw error
      return { why: error }
    }
  }

  /** The active hub may now be at another of the addresses. */
  function turn(): void {
    place = places[(places.indexOf(place) + 1) % places.length] ?? place
    url = place.at
  }

  function back(): void {
    if (isAway) follower?.note(`The hub ${url} is there again.`)
    hasAnswered = true
    isAway = false
  }

  async function open(path: string, signal: AbortSignal): Promise<Readable | { readonly why: unknown }> {
    try {
      const { status, body } = await attempt({ method: 'GET', path }, signal)
      if (status === 200) return body
      const answer = await text(body)
      // A hub with too many streams refuses with its own error.
      const why = whyAway(status, answer)
      const { code } = errorIn(answer)
      if (why !== null && (code === waitsForDatabase || code === standsBy || !isCode(code))) return { why }
      throw refusalOf(url, status, answer)
    } catch (error) {
      if (error instanceof DrydockError) throw error
      return { why: error }
    }
  }

  return {
    async ask(asked) {
      const begun = performance.now()
      for (let tries = 0; ; tries += 1) {
        const tried = await tryOnce(asked)
        if ('answer' in tried) {
          back()
          return parse(url, tried.answer)
        }
        const asking = url
        turn()
        // All addresses are tried once before the first pause.
        if (tries + 1 < places.length && !follower?.stop.aborted) continue
        const isLate = follower === null && performance.now() - begun > limits.client.patienceMs
        if (!hasAnswered || isLate || follower?.stop.aborted) throw unreachable(asking, tried.why)
        if (!isAway)
          follower?.note(
            sentence`The hub ${asking} cannot be reached: ${reasonOf(tried.why)}. Its runs go on. Trying again…`,
          )
        isAway = true
        const pause = Math.min(limits.client.retryMs * 2 ** tries, limits.client.longestRetryMs)
        await delay(pause, undefined, { signal: follower?.stop }).catch(() => {})
      }
    },
    async open(path, signal) {
      const opened = await open(path, signal)
      if ('why' in opened) turn()
      return 'why' in opened ? null : opened
    },
    async stream(path) {
      // The timeout applies to the beginning of the stream only, so it has its own controller.
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(tooLate()), limits.client.requestMs)
      const opened = await open(path, late.signal).finally(() => clearTimeout(timer))
      if ('why' in opened) throw unreachable(url, opened.why)
      return wholeOf(url, opened)
    },
    at: () => url,
    followedBy(next) {
      follower = next
      return () => {
        follower = null
      }
    },
  }
}

/** The content of an answer. Fails when no data arrives, or nobody reads, for too long. */
function wholeOf(url: string, answer: Readable): AsyncIterable<Uint8Array> {
  const timer = setTimeout(() => answer.destroy(tooLate()), limits.client.requestMs)
  return (async function* () {
    try {
      for await (const piece of answer) {
        timer.refresh()
        yield piece
        timer.refresh()
      }
    } catch (error) {
      throw unreachable(url, error)
    } finally {
      clearTimeout(timer)
    }
  })()
}

function tooLate(): DOMException {
  return new DOMException('', 'TimeoutError')
}

/** The most characters of a hub's error message, which is printed on a terminal. */
const longestError = 4_000

/** The hub's own error, or one that says that another server has answered. */
function refusalOf(url: string, status: number, answer: string): DrydockError {
  const { code, message, todo } = errorIn(answer)
  if (isCode(code) && typeof message === 'string' && typeof todo === 'string') {
    if (code === 'not_signed_in') return notAdmitted(url)
    const [said, next] = [plainText(message, longestError), plainText(todo, longestError)]
    return new DrydockError(code, said, { todo: next })
  }
  return new DrydockError('hub_unreachable', `${url} does not answer as a hub of Drydock: ${status}.`, {
    todo: 'Check the address, and what is in front of the hub.',
  })
}

/** The reason why the hub itself has not answered; null if it has. */
function whyAway(status: number, answer: string): Error | null {
  if (!away.includes(status)) return null
  const { code, message } = errorIn(answer)
  if (code === standsBy) return new Error(plainText(String(message), longestError))
  return new Error(code === waitsForDatabase ? 'its database is away' : `it answered ${status}`)
}

function notAdmitted(url: string): DrydockError {
  return new DrydockError('not_signed_in', `The hub ${url} does not know the token: it was revoked, or has expired.`, {
    todo: `An admin of the hub gives you a new one. Then: drydock hub login ${url}`,
  })
}

function errorIn(answer: string): { readonly code?: unknown; readonly message?: unknown; readonly todo?: unknown } {
  const error = parsedJson(answer)
  return isObject(error) ? error : {}
}

function isCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCatalogue, code)
}

function parse(url: string, answer: string): unknown {
  try {
    return answer === '' ? null : JSON.parse(answer)
  } catch (error) {
    throw new DrydockError('hub_unreachable', `${url} does not answer as a hub of Drydock.`, {
      todo: 'Check the address, and what is in front of the hub.',
      cause: error,
    })
  }
}

function unreachable(url: string, why: unknown): DrydockError {
  const reason = reasonOf(why)
  const isUntrusted = /certificate|self.signed|CERT_|UNABLE_TO/i.test(`${reason} ${codeOf(why)}`)
  const todo = isUntrusted
    ? 'Name the certificate of its authority: NODE_EXTRA_CA_CERTS=/path/to/ca.pem drydock …'
    : 'Check the address and the network, then run the same command again. What runs on the hub goes on.'
  return new DrydockError('hub_unreachable', sentence`The hub ${url} cannot be reached: ${reason}.`, {
    todo,
    cause: why,
  })
}

function reasonOf(why: unknown): string {
  if (!(why instanceof Error)) return String(why)
  if (why.name === 'TimeoutError') return `no answer in ${limits.client.requestMs / 1_000} s`
  // The error of the first address is enough.
  const [first] = why instanceof AggregateError ? why.errors : []
  const said = first instanceof Error ? first.message : why.message
  return said.split('\n')[0] || codeOf(why) || why.name
}

function codeOf(why: unknown): string {
  return why instanceof Error && 'code' in why ? String(why.code) : ''
}
