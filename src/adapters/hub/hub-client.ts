import { randomUUID } from 'node:crypto'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { HubClient, HubDiff, HubFacts, HubLog } from '../../ports/hub-client.ts'
import { authoritiesFor } from './authorities.ts'
import { createExchange, type ExchangeOptions } from './exchange.ts'
import { followEvents } from './follow-events.ts'
import { type Acting, requestOf, requestOfStart } from './give-command.ts'
import { createRemoteRecords } from './remote-records.ts'

interface HubClientOptions extends ExchangeOptions {
  /** A file that may be written, for the certificates of authorities. */
  readonly authorities: string
}

/** A hub as the holder of a token reaches it. Nothing is sent before the first question. */
export function createHubClient(options: HubClientOptions): HubClient {
  const exchange = createExchange(options)
  const { ask } = exchange
  const get = (path: string) => ask({ method: 'GET', path })
  const act = ({ path, body }: Acting, key: string) =>
    ask({ method: 'POST', path, body: JSON.stringify(body), key }) as Promise<{ run: string; command: string }>
  const records = createRemoteRecords(exchange)
  return {
    url: options.url,
    repository: () => ({
      url: `${options.url}/git`,
      credentials: { origin: options.url, user: 'drydock', password: options.token },
      authorities: authoritiesFor(options.authorities),
    }),
    facts: (commit) => get(`/api/hub${commit === null ? '' : `?commit=${commit}`}`) as Promise<HubFacts>,
    openRecords: () => records,
    // The keys of commands of this machine are made of chance, too; those of a hub hold no slash.
    submit: async (_, command) => (await act(requestOf(command), randomUUID())).command,
    start: async (start) => (await act(requestOfStart(start), randomUUID())).run,
    connect: (on) => followEvents(exchange, on),
    async diff(run, story) {
      const of = story === null ? '' : `/stories/${encodeURIComponent(story)}`
      return (await get(`/api/runs/${encodeURIComponent(run)}${of}/diff`)) as HubDiff
    },
    log: (runId) => get(`/api/verifications/${encodeURIComponent(runId)}/log`) as Promise<HubLog>,
    async receipt(commit) {
      const found = await get(`/api/receipts/${commit}`).catch((error: unknown) => {
        if (error instanceof DrydockError && error.code === 'not_found') return null
        throw error
      })
      return (found as { readonly envelope: string | null } | null)?.envelope ?? null
    },
    followedBy: exchange.followedBy,
  }
}
