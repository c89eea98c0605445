import type { Commit } from '../../ports/engine.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { load, storiesOf } from '../machines.ts'
import { reserveBranch } from '../run/branches.ts'
import { announceUnpriced, checkPrices, unpricedModels } from '../run/check-prices.ts'
import type { StartDependencies } from '../run/dependencies.ts'
import { moveRun } from '../run/move-run.ts'
import { pinRepositories } from '../run/pin-repositories.ts'
import { schedule } from '../run/schedule.ts'
import { pin } from '../run/start-run.ts'
import { awaitApproval, openScoping, specOf } from './plan-spec.ts'
import { startStories } from './start-stories.ts'

/**
 * WAITING: goes on with the stories of a Run that was cancelled; else pins base commit,
 * configuration and branch, opens the architect's sandbox, and begins with SCOPING, or with the
 * stories when they are there.
 */
export async function startSpec(
  deps: StartDependencies & DecisionDependencies & Pick<WorkflowDependencies, 'architect' | 'beside'>,
  id: string,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const run = await load(deps.store, 'run', id)
  const { stories, reviewStories } = specOf(run)
  const [{ pins, existing }, unpriced] = await Promise.all([
    pin(deps, run, signal),
    unpricedModels(deps, run.data.models),
  ])
  checkPrices(unpriced, { ...pins, budgetUsd: run.data.budgetUsd })
  const others = await pinRepositories(deps, run, pins.config, signal)
  const before = await storiesOf(deps.store, id)
  const reopened = before.length > 0
  const isBuilt = before.every(({ state }) => state === 'DONE' || state === 'DROPPED')
  const [guide] = await Promise.all([deps.guides.of(pins.base), deps.architect.start(signal)])
  await commit(async (tx) => {
    await announceUnpriced(tx, run, { models: unpriced, budget: pins.budget })
    if (reopened) {
      await moveRun(tx, run, {
        event: 'started',
        log: { base: pins.base, branch: run.data.branch },
        next: isBuilt ? 'queue' : 'rest',
      })
      return schedule(tx, deps)
    }
    const { fewerCoders, source } = pins.config
    if (fewerCoders && run.data.base === null) {
      await tx.appendEvent({ run: id, story: null, type: 'fewer_coders', data: { ...fewerCoders, source } })
    }
    const branch = run.data.branch ?? (await reserveBranch(tx, run, [...existing, ...others.branches]))
    const data = { ...run.data, ...pins, ...others.data, branch, tip: pins.base }
    const log = { base: pins.base, branch }
    if (stories === null) {
      const moved = await moveRun(tx, run, { event: 'scoping_started', data, log, next: 'rest' })
      return openScoping(tx, moved, guide)
    }
    const started = { ...run, data }
    if (reviewStories) await awaitApproval(tx, started, stories)
    else await startStories(tx, deps, started, { stories })
  })
}
