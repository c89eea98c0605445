import { isObject, parsedJson } from '../../domain/json.ts'
import { limits } from '../../domain/limits.ts'
import type { Collector, SendResult } from '../../ports/telemetry.ts'
import { metricsJson, type Sender, tracesJson } from './otlp-json.ts'

export interface CollectorOptions {
  /** Whole URLs; null if nothing is sent. */
  readonly tracesUrl: string | null
  readonly metricsUrl: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly sender: Sender
}

/** Sends OTLP over HTTP as JSON. Redirects are not followed, since a header may contain a key. */
export function createOtlpCollector({ sender, tracesUrl, metricsUrl, ...way }: CollectorOptions): Collector {
  const post = (url: string | null, body: () => object, counts: string, signal: AbortSignal) =>
    url === null ? nothing : send({ url, body: JSON.stringify(body()), counts, ...way }, signal)
  return {
    spans: (told, signal) => post(tracesUrl, () => tracesJson(told, sender), 'rejectedSpans', signal),
    metrics: (told, signal) => post(metricsUrl, () => metricsJson(told, sender), 'rejectedDataPoints', signal),
  }
}

const nothing: Promise<SendResult> = Promise.resolve({ result: 'taken', rejected: 0, problem: null })

interface Sending {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly body: string
  /** The name of the field that counts rejected items in a partial success. */
  readonly counts: string
}

async function send({ url, headers, timeoutMs, body, counts }: Sending, signal: AbortSignal): Promise<SendResult> {
  const { origin } = new URL(url)
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'user-agent': 'drydock', ...headers, 'content-type': 'application/json' },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    })
    const text = await readText(response)
    return answered({ origin, response, text, counts })
  } catch (error) {
    const why = timeout.aborted ? `gave no answer within ${timeoutMs / 1_000} s` : `cannot be reached${codeOf(error)}`
    return { result: 'later', problem: `${origin} ${why}`, afterMs: null }
  }
}

/** Reads the beginning of an answer. */
async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes > limits.telemetry.answerBytes) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

interface Answer {
  readonly origin: string
  readonly response: Response
  readonly text: string
  readonly counts: string
}

/** Statuses with which a collector refuses the data for good; all others may be temporary. */
const refusing = [400, 413, 422]

function answered({ origin, response, text, counts }: Answer): SendResult {
  const { status, headers } = response
  const problem = `${origin} answered ${status}`
  if (refusing.includes(status)) return { result: 'refused', problem }
  if (status < 200 || status >= 300) return { result: 'later', problem, afterMs: retryAfterMs(headers) }
  // A web page instead of an answer, such as a sign-in page, does not come from the collector.
  if (/^\s*</.test(text) || headers.get('content-type')?.startsWith('text/html')) {
    return { result: 'later', problem: `${origin} answered with a page, not like a collector`, afterMs: null }
  }
  const rejected = rejectedIn(text, counts)
  return { result: 'taken', rejected, problem: rejected === 0 ? null : `${origin} rejected ${rejected} items` }
}

/** The number of rejected items in a partial success; 0 for any other answer. */
function rejectedIn(text: string, counts: string): number {
  const answer = parsedJson(text)
  const partial = isObject(answer) ? answer.partialSuccess : null
  const rejected = Number((isObject(partial) ? partial[counts] : null) ?? 0)
  return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0
}

function retryAfterMs(headers: Headers): number | null {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1_000, limits.telemetry.longestPauseMs) : null
}

/** The code of a network error, such as `ECONNREFUSED`. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : ''
}
