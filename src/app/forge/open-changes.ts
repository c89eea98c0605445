import type { Change } from '../../ports/forge.ts'
import type { ForgeCall } from '../../ports/rows.ts'
import { placeOf, type Watching } from './watching.ts'

/** A change that Drydock has opened, as far as it is noted. */
export interface OpenChange {
  readonly run: string
  readonly number: number
  readonly url: string
  readonly row: ForgeCall
}

interface ChangeNote {
  readonly number?: number
  readonly url?: string
  /** Left out while it is open. */
  readonly state?: Change['state']
}

/** The changes of this repository that were not seen to be over, also those that people landed. */
export async function openChanges({ calls, forge }: Pick<Watching, 'calls' | 'forge'>): Promise<readonly OpenChange[]> {
  const rows = await calls.forgeCallsNamed('openChange', `openChange/${placeOf(forge)}`)
  return rows.flatMap((row) => {
    const { number, url, state } = (row.answer ?? {}) as ChangeNote
    return number === undefined || url === undefined || state !== undefined ? [] : [{ run: row.run, number, url, row }]
  })
}

/** The commits that Drydock has pushed for a Run, the newest last. */
export async function pushedFor({ calls }: Pick<Watching, 'calls'>, run: string): Promise<readonly string[]> {
  const pushes = (await calls.forgeCalls(run)).filter(({ call, finishedAt }) => call === 'push' && finishedAt !== null)
  return pushes.map(({ request }) => (request as { readonly sha: string }).sha)
}

/** The change as it is now; null, and noted, once it is merged or closed. */
export async function lookAtChange(
  { forge, calls, say }: Watching,
  { run, row, number, url }: OpenChange,
): Promise<Change | null> {
  const { head } = row.request as { readonly head: string }
  const change = await forge.findChange(head)
  // Somebody else may have opened another one for the same branch.
  if (change?.state === 'open') return change.number === number ? change : null
  const state = change?.state ?? 'closed'
  await calls.finishForgeCall(row.key, { number, url, state })
  say({ what: 'change', text: `${url} is ${state}.`, run, number, url })
  return null
}
