import type { Change } from '../../ports/forge.ts'
import type { ForgeCall } from '../../ports/rows.ts'
import { placeOf, type Watching } from './watching.ts'

/** A change that Drydock has opened, as last recorded. */
export interface OpenChange {
  readonly run: string
  readonly number: number
  readonly url: string
  readonly row: ForgeCall
}

interface ChangeNote {
  readonly number?: number
  readonly url?: string
  /** Absent while the change is open. */
  readonly state?: Change['state']
}

/**
 * The changes of this repository that were still open when last seen, including changes that people
 * landed.
 */
export async function openChanges({ calls, forge }: Pick<Watching, 'calls' | 'forge'>): Promise<readonly OpenChange[]> {
  const rows = await calls.forgeCallsNamed('openChange', `openChange/${placeOf(forge)}`)
  return rows.flatMap((row) => {
    const { number, url, state } = (row.answer ?? {}) as ChangeNote
    return number === undefined || url === undefined || state !== undefined ? [] : [{ run: row.run, number, url, row }]
  })
}

/** The commits that Drydock has pushed for a Run, oldest first. */
export async function pushedFor({ calls }: Pick<Watching, 'calls'>, run: string): Promise<readonly string[]> {
  const pushes = (await calls.forgeCalls(run)).filter(({ call, finishedAt }) => call === 'push' && finishedAt !== null)
  return pushes.map(({ request }) => (request as { readonly sha: string }).sha)
}

/** The current state of a change. Once it is merged or closed, records that and returns null. */
export async function lookAtChange(
  { forge, calls, say }: Watching,
  { run, row, number, url }: OpenChange,
): Promise<Change | null> {
  const { head } = row.request as { readonly head: string }
  const change = await forge.findChange(head)
  // Another change may be open for this branch, opened by somebody else.
  if (change?.state === 'open') return change.number === number ? change : null
  const state = change?.state ?? 'closed'
  await calls.finishForgeCall(row.key, { number, url, state })
  say({ what: 'change', text: `${url} is ${state}.`, run, number, url })
  return null
}
