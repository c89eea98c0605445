import { realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import type { CiRange, CiReceipt } from '../../../domain/ci/ci-report.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import type { NamedKeys, ReceiptReader } from '../../../ports/receipts.ts'
import type { Installation } from '../../installation.ts'

export interface CheckedReceipts {
  readonly receipts: readonly CiReceipt[]
  /** Ids of findings that somebody has accepted according to valid receipts. */
  readonly accepted: readonly string[]
  readonly notes: readonly string[]
}

/**
 * Fetches the receipts of a change and checks each. Keys come from whoever runs the pipeline, and
 * never from the repository, since a change could bring its own key. Throws DrydockError
 * `bad_usage`, `bad_config`.
 */
export async function checkReceipts(
  drydock: Pick<Installation, 'repository' | 'user' | 'userRepository' | 'remotes'>,
  reader: ReceiptReader,
  { range, only }: { readonly range: CiRange; readonly only: NamedKeys | null },
): Promise<CheckedReceipts> {
  await refuseOwnKeys(drydock, only)
  const notes = await fetchReceipts(drydock)
  const accepted: string[] = []
  const receipts: CiReceipt[] = []
  const noted = await drydock.userRepository.noted()
  for (const commit of range.commits) {
    if (!noted.has(commit)) {
      receipts.push({ commit, state: 'missing' })
      continue
    }
    const { checked, trusted } = await reader.check({ directory: drydock.repository, revision: commit, only })
    if (checked.ok) {
      const { findings, story } = checked.receipt
      accepted.push(...findings.flatMap(({ id, state }) => (state === 'accepted' ? [id] : [])))
      receipts.push({ commit, state: 'proven', key: checked.key, story: story.id })
    } else if (checked.fault === 'receipt_missing') receipts.push({ commit, state: 'missing' })
    else if (checked.fault === 'receipt_unknown_key' && trusted === 0) receipts.push({ commit, state: 'unchecked' })
    else receipts.push({ commit, state: 'refused', fault: checked.fault, key: checked.key })
  }
  const left = range.count - range.commits.length
  if (left > 0) notes.push(`The receipts of the ${left} oldest commits were not checked: the change has too many.`)
  return { receipts, accepted, notes }
}

async function refuseOwnKeys(
  { repository, user }: Pick<Installation, 'repository' | 'user'>,
  only: NamedKeys | null,
): Promise<void> {
  const root = await realpath(repository)
  const code = only === null ? 'bad_config' : 'bad_usage'
  for (const file of only?.files ?? user.receipts.trusted_keys) {
    if (!isBelow(root, await realpath(file).catch(() => file))) continue
    throw new DrydockError(code, `${file} is in the repository, so a change could replace the key.`, {
      todo: 'Put the key into the variable DRYDOCK_RECEIPT_KEY of the pipeline, or name a file outside of the checkout.',
    })
  }
}

/**
 * Refuses a user's file inside the repository: it decides about keys and sandboxes, so a change
 * must not be able to edit it. Throws DrydockError `bad_config`.
 */
export async function refuseOwnConfig({ repository, user }: Pick<Installation, 'repository' | 'user'>): Promise<void> {
  const file = await realpath(user.file).catch(() => null)
  if (file === null || !isBelow(await realpath(repository), file)) return
  throw new DrydockError('bad_config', `${user.file} is in the repository, so a change could replace it.`, {
    todo: 'Set HOME or XDG_CONFIG_HOME to a folder outside of the checkout.',
  })
}

function isBelow(root: string, file: string): boolean {
  return file.startsWith(`${root}${sep}`)
}

async function fetchReceipts({ remotes }: Pick<Installation, 'remotes'>): Promise<string[]> {
  const remote = await remotes.first()
  if (remote === null) return ['The repository has no remote: only receipts that are here were looked at.']
  const fetched = await remotes.fetchReceipts(remote)
  if (fetched.ok) return []
  switch (fetched.why) {
    case 'none':
      return [`${remote} has no receipts (refs/notes/drydock).`]
    case 'ahead':
      return [`The receipts here and those of ${remote} differ. Those that are here were looked at.`]
    default:
      return [`The receipts of ${remote} could not be fetched, so some may be missing. ${fetched.said}`]
  }
}
