import { isLanding, type Landing, type LandingData } from '../../domain/landing/landing.ts'
import { isEnded } from '../../domain/run/run.ts'
import type { Commit } from '../../ports/engine.ts'
import type { Next, Records } from '../../ports/store.ts'
import { load } from '../machines.ts'
import { errorOf } from '../rest/park-run.ts'
import { appendLanding } from './append-landing.ts'
import type { LandingDependencies } from './dependencies.ts'
import type { LandingStep } from './landing-step.ts'

/**
 * Takes one step of a landing. The step can be repeated after a crash: a branch is only moved from
 * its expected commit, and calls to a forge are recorded before and after.
 */
export async function workLanding(deps: LandingDependencies, id: string, commit: Commit): Promise<void> {
  const landing = await load(deps.store, 'landing', id)
  const step = isLanding(landing) ? await stepOf(deps, landing) : { event: 'waits' as const }
  await commit(async (tx) => {
    if (step.event === 'waits') return
    const next = await nextOf(tx, step)
    const moved = await tx.move(landing, step.event, { data: dataOf(step), next })
    // The landing's own idempotency key: repeating this step starts one verification only.
    if (step.event === 'verifying' && step.command !== null)
      await tx.insertCommand({ key: `${id}/verify`, command: step.command })
    await appendLanding(tx, moved)
  })
}

/** Reports an obstacle to the person, who may ask again. */
async function stepOf({ land }: Pick<LandingDependencies, 'land'>, landing: Landing): Promise<LandingStep> {
  try {
    return await land(landing)
  } catch (error) {
    return { event: 'refused', refusal: { ...errorOf(error), findings: [] } }
  }
}

function dataOf(step: Exclude<LandingStep, { event: 'waits' }>): Partial<LandingData> {
  switch (step.event) {
    case 'verifying':
      return { way: step.way, verification: step.verification }
    case 'moving':
      return { way: step.way }
    case 'landed':
      return { result: step.result }
    case 'refused':
      return { refusal: step.refusal }
    default:
      throw new Error(`unknown step ${step satisfies never}`)
  }
}

/** A verification that has ended already will not wake the landing any more. */
async function nextOf(records: Records, step: LandingStep): Promise<Next> {
  if (step.event === 'moving') return 'queue'
  if (step.event !== 'verifying') return 'rest'
  const run = await records.machineOf('run', step.verification)
  return run !== null && isEnded(run.state) ? 'queue' : 'rest'
}
