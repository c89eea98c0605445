import { DrydockError } from '../../../domain/drydock-error.ts'
import type { ProviderKind } from '../../../domain/providers.ts'
import type { CallAccount } from '../../../ports/model-gateway.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Bounds } from './bounds.ts'
import type { Format, Trouble } from './formats/format.ts'
import type { Handler } from './listen.ts'
import { type Passing, passCall, passFree } from './pass-call.ts'
import { refuse } from './refuse.ts'
import { readBody, withNames } from './request-body.ts'
import { type Asking, type Route, routeOf, servedBy } from './routes.ts'

interface Handling extends Pick<Passing, 'run' | 'transport' | 'timeouts' | 'redact' | 'gate' | 'clock'> {
  readonly kind: ProviderKind
  /** Throws DrydockError `no_key`. */
  readonly resolve: (model: string) => Endpoint
  readonly account: CallAccount
  readonly bounds: Bounds
}

const nothing = Buffer.alloc(0)

/** Handles the requests of one agent. */
export function createHandler({ kind, resolve, account, timeouts, bounds, ...shared }: Handling): Handler {
  let calls = 0
  const largest = { tokens: 0 }

  async function pass(route: Route, ...[request, response, signal]: Parameters<Handler>): Promise<Trouble | null> {
    const { method = '', headers } = request
    if (route.does === 'list') {
      const sent = { route, method, headers, body: nothing }
      await passFree({ ...shared, timeouts, endpoint: resolve(''), request: sent, response, signal })
      return null
    }
    const whole = await readBody(request, { redact: shared.redact, mostBytes: bounds.requestBytes })
    if ('kind' in whole) return whole
    const asked = route.format.asked(whole.json)
    const model = route.model ?? asked.model
    if (model === null || !isName(model)) return { kind: 'bad_request', message: 'The request names no model.' }
    if (asked.beyond !== null) return { kind: 'bad_request', message: beyondText(asked.beyond) }
    const body = withNames(whole, route.format.names)
    const passing = {
      ...shared,
      endpoint: resolve(model),
      response,
      signal,
      request: { route, method, headers, body: body.bytes },
    }
    if (route.does === 'count') {
      await passFree({ ...passing, timeouts })
      return null
    }
    // Without streaming, no byte of the answer comes before all of it is ready.
    const isStreaming = route.isStreaming || asked.isStreaming
    const patience = isStreaming ? timeouts : { ...timeouts, firstByteMs: timeouts.totalMs }
    await passCall({ ...passing, account, largest, asked: { ...asked, model }, timeouts: patience })
    return null
  }

  return async (request, response, signal) => {
    const route = routeOf(kind, request)
    const format: Format = route?.format ?? servedBy(kind).format
    if (route === null) return refuse(response, { format, trouble: unknownPath(kind, request) })
    if (calls >= bounds.calls) {
      const trouble = { kind: 'crowded', message: `${calls} calls are under way.` } as const
      return refuse(response, { format, trouble, retryAfterMs: 1_000 })
    }
    calls += 1
    try {
      const trouble = await pass(route, request, response, signal)
      if (trouble !== null) refuse(response, { format, trouble })
    } catch (error) {
      if (!(error instanceof DrydockError)) throw error
      refuse(response, { format, trouble: { kind: 'bad_request', message: error.message } })
    } finally {
      calls -= 1
    }
  }
}

function isName(model: string): boolean {
  return /^[^\s\p{Cc}]{1,200}$/u.test(model)
}

function beyondText(beyond: string): string {
  return `The gateway passes no request with ${beyond}: it would lead to other hosts, or cost what nobody counts.`
}

function unknownPath(kind: ProviderKind, { method, url = '' }: Asking): Trouble {
  const asked = `${method} ${url.slice(0, 200).replace(/\?.*$/s, '')}`
  const { paths } = servedBy(kind)
  return { kind: 'not_found', message: `${asked} is not served for this provider; ${paths.join(', ')} are.` }
}
