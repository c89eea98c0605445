import { softAndHard } from '../../../domain/lane/next-request.ts'
import { notBegun } from '../../../domain/run/interview.ts'
import type { Run } from '../../../domain/run/run.ts'
import type { Commit } from '../../../ports/engine.ts'
import type { WorkflowDependencies } from '../../dependencies.ts'
import { openLane } from '../../lane/open-lane.ts'
import { load } from '../../machines.ts'
import { announceUnpriced, checkPrices, unpricedModels } from '../../run/check-prices.ts'
import type { StartDependencies } from '../../run/dependencies.ts'
import { moveRun } from '../../run/move-run.ts'
import { pin } from '../../run/start-run.ts'
import { interviewPrompt } from '../prompts/interview.ts'
import { interviewLane } from './interview-lane.ts'

/** WAITING: pins base commit and configuration, and opens the architect's lane. */
export async function startInterview(
  deps: StartDependencies & Pick<WorkflowDependencies, 'architect'>,
  id: string,
  commit: Commit,
  signal: AbortSignal,
): Promise<void> {
  const run = await load(deps.store, 'run', id)
  const { spec } = interviewOf(run)
  const [{ pins }, unpriced] = await Promise.all([pin(deps, run, signal), unpricedModels(deps, run.data.models)])
  checkPrices(unpriced, { ...pins, budgetUsd: run.data.budgetUsd })
  const [guide] = await Promise.all([deps.guides.of(pins.base), deps.architect.start(signal)])
  const { base, config } = pins
  await commit(async (tx) => {
    await announceUnpriced(tx, run, { models: unpriced, budget: pins.budget })
    const data = { ...pins, tip: base, interview: notBegun }
    await moveRun(tx, run, { event: 'interview_started', data, log: { base }, next: 'rest' })
    await openLane(tx, {
      ...{ run: id, story: null, key: interviewLane, parent: id, role: 'architect_interview' },
      limits: softAndHard(config.scoping),
      prompt: (speak) => interviewPrompt({ spec, base, guide }, speak),
    })
  })
}

export function interviewOf(run: Run) {
  const { request } = run.data
  if (request.kind !== 'interview') throw new Error(`run ${run.id} is no interview`)
  return request
}
