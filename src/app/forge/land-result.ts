import { publishedBranch } from '../../domain/run/published-branch.ts'
import { verifiedCommit } from '../../domain/run/verified-commit.ts'
import { landAsChange } from '../commands/land/land-as-change.ts'
import { readLandable } from '../commands/land/landable.ts'
import type { RunNow } from './run-now.ts'
import { placeOf, type Watching } from './watching.ts'

/**
 * Opens or updates the change of a Run that is done, as `drydock land --pr` does. Throws
 * DrydockError `not_landable`, `branch_moved`, `change_closed`, `push_refused`, and the errors of a
 * forge.
 */
export async function landResult(watching: Watching, { run, stories, calls }: RunNow): Promise<void> {
  if (run?.state !== 'DONE' || publishedBranch(run) === null) return
  const { drydock, forge, receipts, remote, say } = watching
  // A finished status means a finished landing, since the status is set last.
  const done = `setStatus/${placeOf(forge)}${verifiedCommit(run, stories)}/`
  if (calls.some(({ key, finishedAt }) => key.startsWith(done) && finishedAt !== null)) return
  const landable = await readLandable(drydock, receipts, { id: run.id, goal: 'change' })
  const wanted = { remote, base: null, forge: forge.name, reviewers: [], draft: false }
  const { change, opened, reviewProblem } = await landAsChange(drydock, landable, wanted)
  const { number, url } = change
  say({ what: 'change', text: `${opened ? 'Opened' : 'Updated'} ${url}`, run: run.id, number, url })
  if (reviewProblem !== null) {
    const { message, code, todo } = reviewProblem
    say({ what: 'problem', text: message, code, todo, run: run.id, number })
  }
}
