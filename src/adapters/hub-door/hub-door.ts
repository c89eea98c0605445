import { z } from 'zod'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { noticeTypes } from '../../domain/notification/notice.ts'
import { type SharedState, workerProtocol } from '../../domain/worker/shared-state.ts'
import type { HubDoor } from '../../ports/hub/hub-door.ts'
import { version as ownVersion } from '../../processes/installation.ts'

const shared = z.object({
  protocol: z.int(),
  version: z.string().max(100),
  token: z.string().regex(/^[a-z0-9._-]{1,40}$/),
  state: z.object({ id: z.uuid(), schema: z.string().regex(/^drydock_[a-z0-9_]{1,60}$/) }),
  repository: z.string().max(1_000),
  git: z.string().regex(/^\/[a-z]+$/),
  slots: z.object({ per_user: z.int().exactOptional(), per_run: z.int().exactOptional() }),
  commits: z.object({
    author: z.object({ name: z.string(), email: z.string() }).nullable(),
    trailers: z.array(z.string()),
  }),
  notifying: z.object({ notifiers: z.array(z.enum(['webhook', 'command'])), on: z.array(z.enum(noticeTypes)) }),
})

const refusal = z.object({ code: z.string(), message: z.string(), todo: z.string() })

interface Place {
  /** The origins of a hub and its standbys, separated by commas. */
  readonly url: string
  readonly token: string
}

/** Asks all addresses at the same time; only the active hub accepts. */
export function createHubDoor({ url, token }: Place): HubDoor {
  let urls: readonly string[] = url.split(',')
  return {
    urls: () => urls,
    async sharedState(signal) {
      try {
        const asked = urls.map((each) => ask(each, token, signal).then((told) => ({ each, told })))
        const { each, told } = await Promise.any(asked)
        urls = [each, ...urls.filter((other) => other !== each)]
        return told
      } catch (error) {
        const { errors } = error as { readonly errors: readonly DrydockError[] }
        throw errors.find(({ code }) => code !== 'hub_unreachable') ?? errors[0]
      }
    },
  }
}

async function ask(url: string, token: string, signal?: AbortSignal): Promise<SharedState> {
  const late = AbortSignal.timeout(limits.hub.answerMs)
  const answer = await fetch(`${url}/api/worker`, {
    headers: { Authorization: `Bearer ${token}` },
    redirect: 'error',
    signal: signal === undefined ? late : AbortSignal.any([signal, late]),
  }).catch((error: Error) => {
    throw unreachable(url, error.cause instanceof Error ? error.cause : error)
  })
  const body: unknown = await answer.json().catch(() => null)
  if (answer.ok) {
    const read = shared.safeParse(body)
    if (read.success && read.data.protocol === workerProtocol) return read.data
    throw otherVersion(url, body)
  }
  const told = refusal.safeParse(body)
  if (answer.status === 401 || answer.status === 403) throw refused(url, told.data?.message)
  if (answer.status === 404) throw otherVersion(url, body)
  if (told.data?.code === 'no_shared_state')
    throw new DrydockError('no_shared_state', told.data.message, { todo: told.data.todo })
  throw unreachable(url, new Error(told.data?.message ?? `it answers ${answer.status}`))
}

function unreachable(url: string, cause: Error): DrydockError {
  return new DrydockError('hub_unreachable', `The hub at ${url} cannot be reached: ${cause.message}`, {
    todo: 'Check that the hub runs, the address, and that the network reaches it.',
    cause,
  })
}

function refused(url: string, said: string | undefined): DrydockError {
  return new DrydockError('hub_refused', `The hub at ${url} does not take this token. ${said ?? ''}`.trim(), {
    todo: 'Put a token of the role worker into DRYDOCK_HUB_TOKEN: drydock hub token add <name> --role worker',
  })
}

/** The error for an answer in an unknown form, or without content. */
function otherVersion(url: string, body: unknown): DrydockError {
  const { protocol, version } = z
    .object({ protocol: z.int().optional(), version: z.string().optional() })
    .catch({})
    .parse(body)
  const hubs = version === undefined ? 'another version' : `Drydock ${version} and speaks protocol ${protocol}`
  const own = `This worker is Drydock ${ownVersion()} and speaks ${workerProtocol}`
  return new DrydockError('worker_version', `The hub at ${url} is ${hubs}. ${own}, so it takes no work.`, {
    todo: 'Use versions of the same protocol. Update the hub first, then its workers.',
  })
}
