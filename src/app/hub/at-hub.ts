import { hubToken } from '../../config/hub/hub-tokens.ts'
import { hubUrls, problemOfHubUrls } from '../../config/hub/hub-url.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import { clientProtocol } from '../../domain/hub/client-protocol.ts'
import type { ConnectHub, HubFacts } from '../../ports/hub/hub-client.ts'
import type { StoredFiles } from '../../workflow/stored/stored-files.ts'
import { withStoredLogs } from '../../workflow/stored/with-stored-logs.ts'
import type { Drydock } from '../drydock.ts'
import type { Installation } from '../installation.ts'
import { remoteOperations } from '../operations/remote.ts'
import type { HubAccess } from '../state-access.ts'
import { usage } from '../usage.ts'

/**
 * The normalised address of a hub, for comparison and storage; several are separated by commas.
 * Throws DrydockError `bad_usage`.
 */
export function hubOrigin(given: string): string {
  const problem = problemOfHubUrls(given)
  if (problem === null) return [...new Set(hubUrls(given).map((url) => new URL(url).origin))].join(',')
  throw usage(
    `${JSON.stringify(given)} cannot be the address of a hub: it ${problem}.`,
    'For example: https://hub.example.com:4517',
  )
}

/**
 * The repository with the state and the work of a hub. Reads, commands and events are the hub's;
 * files and branches are those of this clone. Throws DrydockError `no_hub_token`,
 * `hub_unreachable`, `hub_version`, `wrong_repository`, and the hub's errors about the token.
 */
export async function atHub(here: Drydock, given: string, connect: ConnectHub): Promise<Drydock> {
  const url = hubOrigin(given)
  const client = connect({ url, token: await hubToken(url, here.env) })
  const hub: HubAccess = { ...client, operations: (key) => remoteOperations(client, key) }
  const operations = hub.operations()
  const { sha } = await here.userRepository.target(null)
  const facts = await client.facts(sha)
  checkVersion(url, facts)
  if (!(await isSame(here, sha, facts))) throw otherRepository(here, url, facts)
  const storedFiles: StoredFiles = {
    files: async (runId) => (await operations.verificationFiles({ run_id: runId })).files,
    read: client.file,
    async readLog(runId) {
      const { from, text, skipped } = await operations.verificationLog({ run_id: runId })
      return from === 'log' ? { ok: true, text, skipped } : { ok: false, reason: 'is no longer at the hub.' }
    },
  }
  return {
    ...here,
    atHub: hub,
    // This machine's state is neither read nor written, except for logs of its own work.
    state: url,
    artifacts: `${here.artifacts}/of-no-hub`,
    blobs: null,
    storedFiles,
    openArtifacts: () => withStoredLogs(here.openArtifacts(), storedFiles),
    openRecords: notAtHub,
    submit: async () => notAtHub(),
    connect: client.connect,
    expectToOwn: async () => {},
    own: async () => null,
    ownerFacts: async () => null,
    sizes: async () => ({}),
    ensureState: async () => {},
  }
}

/** A client asks a hub for views and gives it operations; it reads none of its rows. */
function notAtHub(): never {
  throw new Error('a hub has no rows for its clients')
}

/** Checks that the hub speaks our protocol. Throws DrydockError `hub_version`. */
export function checkVersion(url: string, { version, protocol }: HubFacts): void {
  if (protocol === clientProtocol) return
  const [older, newer] = protocol > clientProtocol ? ['this Drydock', 'the hub'] : ['the hub', 'this Drydock']
  throw new DrydockError(
    'hub_version',
    `The hub ${url} runs Drydock ${version} and speaks version ${protocol} of their protocol. This one speaks ${clientProtocol}.`,
    { todo: `Update ${older}: ${newer} is newer. Versions with the same protocol work together.` },
  )
}

/**
 * True if one of the repositories has a commit of the other, or if both have the same first commit.
 */
async function isSame(
  { userRepository }: Pick<Installation, 'userRepository'>,
  sha: string,
  { known, head, roots }: HubFacts,
): Promise<boolean> {
  if (known || (head !== null && (await userRepository.parentsOf(head)) !== null)) return true
  const own = await userRepository.roots(sha)
  return roots.some((root) => own.includes(root))
}

function otherRepository({ repository }: Pick<Installation, 'repository'>, url: string, facts: HubFacts): DrydockError {
  return new DrydockError(
    'wrong_repository',
    `The hub ${url} keeps ${facts.repository}, which shares no commit with ${repository}.`,
    { todo: 'Go to a clone of that repository, name it with --repo, or leave out the hub: --no-hub' },
  )
}
