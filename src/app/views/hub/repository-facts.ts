import { basename } from 'node:path'
import { DrydockError } from '../../../domain/drydock-error.ts'
import type { ReceiptReader } from '../../../ports/receipts.ts'
import type { Installation } from '../../installation.ts'
import type { WorkOptions } from '../../work-options.ts'

/** Facts by which a client checks that its clone is of the hub's repository. */
export interface RepositoryFacts {
  /** The name of the folder. */
  readonly repository: string
  /** The commit that runs start from by default; null for an empty repository. */
  readonly head: string | null
  /** True if the hub has the commit that was asked for. */
  readonly known: boolean
  /** The root commits of the head's history. */
  readonly roots: readonly string[]
  /** The public key (PEM) of the hub's receipts, generated on first use. */
  readonly receipt_key: string
}

/** Caches the roots for each head, since finding them takes a walk over the whole history. */
export function createRepositoryFacts(
  { repository, user, userRepository }: Pick<Installation, 'repository' | 'user' | 'userRepository'>,
  { options, receipts }: { readonly options: WorkOptions; readonly receipts: Pick<ReceiptReader, 'publicKey'> },
): (commit: string | undefined) => Promise<RepositoryFacts> {
  let last: { readonly head: string; readonly roots: Promise<readonly string[]> } | null = null

  async function headNow(): Promise<string | null> {
    try {
      return (await userRepository.target(options.target ?? user.target ?? null)).sha
    } catch (error) {
      if (error instanceof DrydockError && error.code === 'no_commits') return null
      throw error
    }
  }

  return async (commit) => {
    const head = await headNow()
    const known = commit !== undefined && (await userRepository.parentsOf(commit)) !== null
    const facts = {
      repository: basename(repository),
      head,
      known,
      receipt_key: (await receipts.publicKey()).pem,
    }
    if (head === null) return { ...facts, roots: [] }
    if (last?.head !== head) last = { head, roots: userRepository.roots(head) }
    return { ...facts, roots: await last.roots }
  }
}
