import { publishedBranch } from '../../domain/run/published-branch.ts'
import { landAsChange } from '../commands/land/land-as-change.ts'
import { readLandable } from '../commands/land/landable.ts'
import type { RunNow } from './run-now.ts'
import type { Watching } from './watching.ts'

/**
 * Opens the change of a Run that is done, as `drydock land --pr` does, or brings it up to date.
 * DrydockError `not_landable`, `branch_moved`, `change_closed`, `push_refused` and those of a forge.
 */
export async function landResult(watching: Watching, { run, calls }: RunNow): Promise<void> {
  if (run?.state !== 'DONE' || publishedBranch(run) === null) return
  const { drydock, forge, receipts, remote, say } = watching
  const landable = await readLandable(drydock, receipts, run.id)
  if (calls.some(({ key, finishedAt }) => key === lastKey(watching, landable) && finishedAt !== null)) return
  const wanted = { remote, base: null, forge: forge.name, reviewers: [], draft: false }
  const { change, opened, reviewProblem } = await landAsChange(drydock, landable, wanted)
  const { number, url } = change
  say({ what: 'change', text: `${opened ? 'Opened' : 'Updated'} ${url}`, run: run.id, number, url })
  if (reviewProblem !== null) {
    const { message, code, todo } = reviewProblem
    say({ what: 'problem', text: message, code, todo, run: run.id, number })
  }
}

/** The status is the last thing that is set. */
function lastKey({ forge }: Watching, { sha, digest }: { readonly sha: string; readonly digest: string }): string {
  return `setStatus/${forge.name}/${forge.project}/${sha}/${digest}`
}
