import { z } from 'zod'
import { isCommitId } from '../../domain/commit-id.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { HubClient, HubFacts } from '../../ports/hub/hub-client.ts'
import { authoritiesFor } from './authorities.ts'
import { createExchange, type ExchangeOptions } from './exchange.ts'
import { followEvents } from './follow-events.ts'
import { createRemoteRecords } from './remote-records.ts'

const word = z.string().regex(/^[^\p{Cc}\p{Bidi_Control}]{1,200}$/u)
const commit = z.string().refine(isCommitId)

/** What is decided on before anything else; any later hub says at least this. */
const factsSchema: z.ZodType<HubFacts> = z.object({
  ...{ version: word, protocol: z.int(), name: word, role: z.enum(['viewer', 'operator', 'admin', 'worker']) },
  ...{ repository: word, head: commit.nullable(), known: z.boolean(), roots: z.array(commit) },
  receipt_key: z.string().max(2_000).nullable(),
})

interface HubClientOptions extends ExchangeOptions {
  /** A file that may be written, for the certificates of authorities. */
  readonly authorities: string
}

/** A hub as the holder of a token reaches it. Nothing is sent before the first question. */
export function createHubClient(options: HubClientOptions): HubClient {
  const exchange = createExchange(options)
  const { ask, stream } = exchange
  const get = (path: string) => ask({ method: 'GET', path })
  const records = createRemoteRecords(exchange)
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
    openRecords: () => records,
    ask,
    connect: (on) => followEvents(exchange, on),
    file: (runId, path) =>
      stream(`/api/verifications/${encodeURIComponent(runId)}/file?${new URLSearchParams({ path })}`),
    followedBy: exchange.followedBy,
  }
}
