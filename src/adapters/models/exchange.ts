import type { Readable } from 'node:stream'
import { limits } from '../../domain/limits.ts'
import type { Answer, Transport, TransportRequest } from '../../http/transport.ts'

/** Milliseconds to the first byte of the body, between two pieces of it, and for the whole call. */
export interface Timeouts {
  readonly firstByteMs: number
  readonly idleMs: number
  readonly totalMs: number
}

export const defaultTimeouts: Timeouts = {
  firstByteMs: limits.modelFirstByteSec * 1_000,
  idleMs: limits.modelIdleSec * 1_000,
  totalMs: limits.modelTotalSec * 1_000,
}

/** The most bytes that are read of a streamed reply, and of a refusal's body. */
const REPLY_BYTES = 8 * 1_048_576
const REFUSAL_BYTES = 65_536

export type ExchangeCut =
  | { readonly type: 'timeout'; readonly waitingFor: 'first byte' | 'next byte' | 'end'; readonly ms: number }
  | { readonly type: 'aborted' }
  | { readonly type: 'too_long' }

/** The furthest stage of a call: no request was sent, one was sent, or an answer has begun. */
export type Progress = 'unsent' | 'sent' | 'answered'

/** One HTTP exchange with limits on time and size. */
export interface Exchange {
  readonly fetch: (url: string, init: Omit<TransportRequest, 'signal'>) => Promise<Answer<ReadableStream<Uint8Array>>>
  /** Aborted when a limit is reached, when the caller aborts, and by `close`. */
  readonly signal: AbortSignal
  /** The reason why this side ended the exchange, if it did. */
  readonly cut: () => ExchangeCut | null
  readonly progress: () => Progress
  /** Frees the connection and the timers. The caller must call it. */
  readonly close: () => void
}

interface ExchangeOptions {
  readonly transport: Transport
  readonly timeouts: Timeouts
  readonly signal: AbortSignal
  /** Called with the headers of each answer as soon as they arrive. */
  readonly onHeaders: (headers: Answer['headers']) => void
  /** Defaults to the usual limit for Drydock's own replies. */
  readonly replyBytes?: number
}

/**
 * Shared by all exchanges, since an abort without a reason creates an error with a stack each time.
 */
const over = new Error('the exchange is over')

export function openExchange(options: ExchangeOptions): Exchange {
  const { transport, timeouts, signal, onHeaders, replyBytes = REPLY_BYTES } = options
  const stop = new AbortController()
  let cut: ExchangeCut | null = null
  let progress: Progress = 'unsent'

  const end = (why: ExchangeCut) => {
    cut ??= why
    stop.abort(new Error(`the exchange was ended: ${why.type}`))
  }
  const after = (ms: number, waitingFor: 'first byte' | 'next byte' | 'end') =>
    setTimeout(() => end({ type: 'timeout', waitingFor, ms }), ms)
  const total = after(timeouts.totalMs, 'end')
  let quiet = after(timeouts.firstByteMs, 'first byte')

  const onAbort = () => end({ type: 'aborted' })
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })

  /** Passes on the body up to its limit, in as few pieces as possible. */
  function meter(body: Readable, ok: boolean): ReadableStream<Uint8Array> {
    const pieces = body[Symbol.asyncIterator]()
    let hasBegun = false
    let bytes = 0
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await pieces.next()
          if (done) return controller.close()
          if (hasBegun) quiet.refresh()
          else {
            hasBegun = true
            clearTimeout(quiet)
            quiet = after(timeouts.idleMs, 'next byte')
          }
          bytes += value.byteLength
          const over = bytes - (ok ? replyBytes : REFUSAL_BYTES)
          if (over <= 0) return controller.enqueue(value)
          if (ok) {
            end({ type: 'too_long' })
            throw stop.signal.reason
          }
          // The beginning of a refusal is enough.
          controller.enqueue(value.subarray(0, -over))
          controller.close()
          body.destroy()
        },
        cancel: () => void body.destroy(),
      },
      { highWaterMark: 0 },
    )
  }

  const fetch: Exchange['fetch'] = async (url, init) => {
    progress = 'sent'
    // An exchange may begin with a request about the model, whose answer does not count as the
    // first byte of the reply.
    clearTimeout(quiet)
    quiet = after(timeouts.firstByteMs, 'first byte')
    const answer = await transport(url, { ...init, signal: stop.signal })
    progress = 'answered'
    onHeaders(answer.headers)
    return { ...answer, body: meter(answer.body, answer.ok) }
  }

  return {
    fetch,
    signal: stop.signal,
    cut: () => cut,
    progress: () => progress,
    close() {
      clearTimeout(quiet)
      clearTimeout(total)
      signal.removeEventListener('abort', onAbort)
      stop.abort(over)
    },
  }
}
