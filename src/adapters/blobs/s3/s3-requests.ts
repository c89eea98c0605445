import { setTimeout as delay } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import type { Clock } from '../../../ports/clock.ts'
import { digestOf } from '../check-blob.ts'
import { type S3Settings, shownPlace } from './s3-settings.ts'

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE'
  /** Empty for the bucket itself. */
  readonly key: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** The body of a successful answer, or null if the object does not exist. */
export type S3Requests = (request: S3Request, signal: AbortSignal) => Promise<Uint8Array | null>

export interface S3Timing extends Pick<Clock, 'now'> {
  /** Only tests set this. */
  readonly requestMs?: number
}

/** Servers refuse requests from clocks that differ by more. */
const skewMs = 60_000

/**
 * Signed requests to one bucket. Each has a timeout, and may be retried since all of them are
 * idempotent. Redirects are not followed, since the signature is only valid for this host, and
 * answers are read up to a bound. If the server's clock differs, the request is repeated once with
 * the server's time.
 */
export function createS3Requests(
  settings: S3Settings,
  { now, requestMs = limits.blobs.requestMs }: S3Timing,
): S3Requests {
  const base = bucketUrl(settings)
  let ahead = 0

  async function send({ method, key, query = {}, body }: S3Request, signal: AbortSignal): Promise<Response> {
    const { credentials, region } = settings
    if (credentials === null) throw withoutCredentials(settings)
    const url = new URL(`${base}${key}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      service: 's3',
      region,
      accessKeyId: credentials.accessKeyId,
      secretAccessKey: credentials.secretAccessKey,
      ...(credentials.sessionToken !== null && { sessionToken: credentials.sessionToken }),
      headers: { 'x-amz-content-sha256': digestOf(body ?? new Uint8Array()), 'accept-encoding': 'identity' },
      datetime: new Date(now().getTime() + ahead).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
    })
    const signed = await signer.sign()
    const sent = { method, headers: signed.headers, redirect: 'manual', signal } as const
    return fetch(signed.url, body === undefined ? sent : { ...sent, body: Buffer.from(body) })
  }

  async function once(request: S3Request, signal: AbortSignal): Promise<Uint8Array | null> {
    for (let tries = 1; ; tries += 1) {
      const response = await send(request, signal)
      const isGood = response.status >= 200 && response.status < 300
      const body = await readBounded(response)
      // A sign-in page answers 200 to any upload, but without an ETag.
      if (isGood && (request.method !== 'PUT' || response.headers.has('etag'))) return body
      const code = codeIn(body)
      const isMissing = response.status === 404 && request.key !== '' && request.method !== 'PUT'
      if (isMissing && code !== 'NoSuchBucket') return null
      const difference = Date.parse(response.headers.get('date') ?? '') - now().getTime()
      const isSkewed = code === 'RequestTimeTooSkewed' && Math.abs(difference - ahead) > skewMs
      if (tries > 1 || !isSkewed) throw refusal(settings, { status: response.status, code })
      ahead = difference
    }
  }

  return async (request, given) => {
    const timeout = AbortSignal.timeout(requestMs)
    const signal = AbortSignal.any([given, timeout])
    for (let failures = 0; ; failures += 1) {
      try {
        return await once(request, signal)
      } catch (error) {
        given.throwIfAborted()
        if (timeout.aborted) throw unreachable(settings, `gave no answer within ${requestMs / 1_000} s`)
        if (error instanceof DrydockError && error.code !== 'blobs_unreachable') throw error
        const pause = limits.blobs.retryMs[failures]
        if (pause === undefined) throw error instanceof DrydockError ? error : unreachable(settings, broken(error))
        await delay(pause, undefined, { signal }).catch(() => undefined)
      }
    }
  }
}

/** The bucket is in the path if an endpoint is configured, else in the host's name. */
function bucketUrl({ endpoint, region, bucket }: S3Settings): string {
  if (endpoint !== null) return `${endpoint}/${bucket}/`
  const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
  // Amazon's certificate does not cover host names for buckets with dots in their name.
  return bucket.includes('.') ? `https://${host}/${bucket}/` : `https://${bucket}.${host}/`
}

async function readBounded({ body }: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes > limits.blobs.answerBytes) break
  }
  return Buffer.concat(chunks)
}

/** The error code in a server's answer; null if there is none that is safe to show. */
function codeIn(body: Uint8Array): string | null {
  const text = Buffer.from(body.subarray(0, 65_536)).toString('utf8')
  return /<Error>\s*(?:<[^>]*>[^<]*<\/[^>]*>\s*)*?<Code>(\w{1,60})<\/Code>/.exec(text)?.[1] ?? null
}

/** Statuses that may be temporary. */
const passing = [408, 409, 425, 429]

function refusal(settings: S3Settings, { status, code }: { readonly status: number; readonly code: string | null }) {
  const said = status < 300 ? 'does not answer like S3' : `answered ${status}${code === null ? '' : ` (${code})`}`
  if (status >= 300 && status < 400) {
    return new DrydockError('blobs_refused', `${shownPlace(settings)} ${said}: it sends requests on to another host.`, {
      todo: 'Name the endpoint and the region of the bucket in "state.blobs.s3". Drydock follows no redirect.',
    })
  }
  if (status >= 500 || passing.includes(status)) return unreachable(settings, said)
  return new DrydockError('blobs_refused', `${shownPlace(settings)} ${said}.`, {
    todo: 'Correct "state.blobs.s3" of your configuration, or the AWS_ variables, then try: drydock doctor',
  })
}

function unreachable(settings: S3Settings, why: string): DrydockError {
  return new DrydockError('blobs_unreachable', `${shownPlace(settings)} ${why}.`, {
    todo: 'Nothing is lost while the files are on this machine. See whether it answers: drydock doctor',
  })
}

function withoutCredentials(settings: S3Settings): DrydockError {
  return new DrydockError('blobs_refused', `There are no credentials for ${shownPlace(settings)}.`, {
    todo: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "access_key_id" and "secret_access_key" in "state.blobs.s3".',
  })
}

/** The code of a network error, such as `ECONNREFUSED`. */
function broken(error: unknown): string {
  const cause = error instanceof Error ? error.cause : null
  const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
  return `cannot be reached, or broke off${code}`
}
