import { hubHost } from '../worker/worker-name.ts'
import type { Role } from './role.ts'

/** The effect of a push on a ref; null where the ref does not exist before or after. */
export interface RefChange {
  readonly ref: string
  readonly from: string | null
  readonly to: string | null
}

/** The sender of a push to the control repository. */
export interface Pusher {
  /** Name of the token. */
  readonly name: string
  readonly role: Role
  /** For a worker, the ids of the stories whose workspaces lie on its host. */
  readonly stories: readonly string[]
}

/**
 * The write rule for a folder of refs. `once`: nobody overwrites a ref, so pushes of a worker that
 * was given up land beside those of its successor. `again`: the holder replaces a ref. `as_named`:
 * once, and the name is the commit's.
 */
export type RefWriteRule = 'once' | 'again' | 'as_named'

/** Refs that a pusher may write: those directly below a folder, which ends in a slash. */
export interface RefFolder {
  readonly folder: string
  readonly written: RefWriteRule
}

/** The two git protocols that are served over the network. */
export type GitConversation = 'fetch' | 'push'

type Folders = (pusher: Pusher) => readonly RefFolder[]

const ofClient: Folders = ({ name }) => [{ folder: `refs/drydock/pushed/${name}/`, written: 'as_named' }]

const ofWorker: Folders = ({ stories }) =>
  stories.flatMap((story) => [
    { folder: `refs/drydock/snapshots/${story}/`, written: 'once' },
    { folder: `refs/drydock/candidates/${story}/`, written: 'once' },
    { folder: `refs/drydock/looks/${story}/`, written: 'again' },
  ])

interface GitRights {
  readonly may: readonly GitConversation[]
  readonly folders: Folders
}

/** The whole table. Nobody may push branches, tags, notes or base commits. */
const rightsOf: Readonly<Record<Role, GitRights>> = {
  monitor: { may: [], folders: () => [] },
  // Commits contain secrets that are redacted everywhere else a viewer looks.
  viewer: { may: [], folders: () => [] },
  operator: { may: ['fetch', 'push'], folders: ofClient },
  admin: { may: ['fetch', 'push'], folders: ofClient },
  worker: { may: ['fetch', 'push'], folders: ofWorker },
}

export function mayTalkGit(role: Role, conversation: GitConversation): boolean {
  return rightsOf[role].may.includes(conversation)
}

export function refFolders(pusher: Pusher): readonly RefFolder[] {
  return rightsOf[pusher.role].folders(pusher)
}

/**
 * The refs that a pusher is shown, so that known objects are not sent again: those of the pusher's
 * folders, and those that work starts from.
 */
export function shownFolders(pusher: Pusher): readonly string[] {
  const runs = new Set(pusher.stories.map((story) => story.slice(0, story.lastIndexOf('/') + 1)))
  const merged = [...runs].map((run) => `refs/drydock/merges/${run}`)
  return ['refs/heads/', 'refs/user/', ...merged, ...refFolders(pusher).map(({ folder }) => folder)]
}

/** The reason why a change of a ref is refused; null for one that the folders allow. */
export function refusedChange(folders: readonly RefFolder[], { ref, from, to }: RefChange): string | null {
  const at = ref.lastIndexOf('/') + 1
  const [folder, name] = [ref.slice(0, at), ref.slice(at)]
  const own = folders.find((each) => each.folder === folder)
  if (own === undefined || !isRefName(name)) return 'not yours to push'
  if (to === null) return 'nobody removes a ref here'
  if (own.written === 'as_named' && name !== to) return 'its name is not that of the commit'
  if (own.written !== 'again' && from !== null) return 'it is there already'
  return null
}

function isRefName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,199}$/.test(name)
}

/**
 * True if the holder of a worker's token may act for a host: the host named like the token, and any
 * below it, `<token>/<name>`. Nobody may act for the hub's own host.
 */
export function isHostOf(host: string, token: string): boolean {
  const below = host.startsWith(`${token}/`) ? host.slice(token.length + 1) : ''
  return (host === token && host !== hubHost) || /^[^\s\p{Cc}]{1,100}$/u.test(below)
}
