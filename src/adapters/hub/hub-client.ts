import { z } from 'zod'
import { isCommitId } from '../../domain/commit-id.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { HubClient, HubFacts } from '../../ports/hub/hub-client.ts'
import { authoritiesFor } from './authorities.ts'
import { createExchange, type ExchangeOptions } from './exchange.ts'
import { followEvents } from './follow-events.ts'

const word = z.string().regex(/^[^\p{Cc}\p{Bidi_Control}]{1,200}$/u)
const commit = z.string().refine(isCommitId)

/**
 * The facts that are checked before any other request; every later version of a hub must send at
 * least these.
 */
const factsSchema: z.ZodType<HubFacts> = z.object({
  version: word,
  protocol: z.int(),
  name: word,
  role: z.enum(['viewer', 'operator', 'admin', 'worker']),
  repository: word,
  head: commit.nullable(),
  known: z.boolean(),
  roots: z.array(commit),
  receipt_key: z.string().max(2_000).nullable(),
})

interface HubClientOptions extends ExchangeOptions {
  /** The path at which the certificate authorities are written. */
  readonly authorities: string
}

/** A client of a hub for the holder of a token. No request is sent before the first call. */
export function createHubClient(options: HubClientOptions): HubClient {
  const exchange = createExchange(options)
  const { ask, stream } = exchange
  const get = (path: string) => ask({ method: 'GET', path })
  return {
    url: options.url,
    repository: () => ({
      url: `${exchange.at()}/git`,
      credentials: { origin: exchange.at(), user: 'drydock', password: options.token },
      authorities: authoritiesFor(options.authorities),
    }),
    async facts(commit) {
      const { success, data } = factsSchema.safeParse(
        await get(`/api/hub${commit === null ? '' : `?commit=${commit}`}`),
      )
      if (success) return data
      throw new DrydockError('hub_unreachable', `${options.url} does not answer as a hub of Drydock.`, {
        todo: 'Check the address, and what is in front of the hub.',
      })
    },
    ask,
    connect: (on) => followEvents(exchange, on),
    file: (runId, path) =>
      stream(`/api/verifications/${encodeURIComponent(runId)}/file?${new URLSearchParams({ path })}`),
    followedBy: exchange.followedBy,
  }
}
