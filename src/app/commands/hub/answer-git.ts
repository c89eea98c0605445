import type { Readable, Writable } from 'node:stream'
import { DrydockError } from '../../../domain/drydock-error.ts'
import type { GitConversation } from '../../../domain/hub/ref-rights.ts'
import { isHostOf, mayTalkGit, refFolders, shownFolders } from '../../../domain/hub/ref-rights.ts'
import type { Role } from '../../../domain/hub/role.ts'
import type { Records } from '../../../ports/store.ts'
import type { Installation } from '../../installation.ts'

export type ControlRepository = Installation['control']

/** A request of git to a hub, from the holder of an admitted token. */
export interface AskedByGit {
  readonly conversation: GitConversation
  readonly said: Readable | null
  readonly protocol: string
  /** The name and role of the token. */
  readonly by: { readonly name: string; readonly role: Role }
  /** The host that a worker claims to run on. */
  readonly host: string
  /** Called when a push is refused because of its content. */
  readonly onRefused: () => void
}

export interface AnsweringGit {
  readonly control: ControlRepository
  readonly records: Pick<Records, 'machines'>
}

/**
 * Answers git according to the stored rows: a worker may push for stories whose workspaces are on
 * its host, a client may push below its own name, and every other push is refused. Throws
 * DrydockError `not_allowed`.
 */
export async function answerGit(
  { control, records }: AnsweringGit,
  { conversation, said, protocol, by, host, onRefused }: AskedByGit,
  answer: Writable,
  signal: AbortSignal,
): Promise<void> {
  const isWorker = by.role === 'worker'
  if (!mayTalkGit(by.role, conversation))
    throw notAllowed(`The role ${by.role} ${conversation === 'push' ? 'pushes' : 'fetches'} nothing.`)
  if (isWorker && host !== '' && !isHostOf(host, by.name))
    throw notAllowed(`The token of ${by.name} speaks for no host but its own.`)
  const stories = isWorker && conversation === 'push' ? await storiesOn(records, host) : []
  const pusher = { ...by, stories }
  const request = { conversation, said, protocol, onRefused }
  await control.answer({ ...request, folders: refFolders(pusher), shown: shownFolders(pusher) }, answer, signal)
}

/** The ids of the stories whose slots a host offers. */
async function storiesOn(records: AnsweringGit['records'], host: string): Promise<readonly string[]> {
  const offered = await records.machines({ kind: 'slot', states: ['OFFERED'] })
  const slots = new Set(offered.filter(({ data }) => data.host === host).map(({ data }) => data.name))
  if (slots.size === 0) return []
  const stories = await records.machines({ kind: 'story' })
  return stories.filter(({ data: { slot } }) => slot !== null && slots.has(slot)).map(({ id }) => id)
}

function notAllowed(message: string): DrydockError {
  return new DrydockError('not_allowed', message, { todo: 'Ask an admin of the hub for a token that may.' })
}
