import { actRoutes } from '../../../api/act-routes.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import type { KeptOptions } from '../../../domain/run/kept-options.ts'
import type { SpecRequest } from '../../../domain/run/run.ts'
import type { Records } from '../../../ports/store.ts'
import { planVersion } from '../../../workflow/architect/plan-version.ts'
import type { ConfigSource } from '../../commands/check-config.ts'
import { overKept } from '../../commands/kept-options.ts'
import { applyAlone } from '../../commands/plan/apply-alone.ts'
import { type SpecSource, specRequest } from '../../commands/spec-request.ts'
import type { Installation } from '../../installation.ts'
import type { Ownership } from '../../ownership.ts'
import { reading } from '../../reading.ts'
import type { RecordSource, StateAccess } from '../../state-access.ts'
import { usage } from '../../usage.ts'
import { findExactly } from '../../views/find/find-exactly.ts'
import { command } from '../operation.ts'
import { buildCommand } from './start-run.ts'

/**
 * Builds the stories of a plan, with the names of who has edited them. With a version, exactly the
 * ones that somebody has seen.
 */
export const buildPlan = command(actRoutes.buildPlan, {
  async run({ drydock, options, give }, { run: id, version, again }) {
    const { request, kept } = await requestOfPlan(drydock, id, version)
    const started = await buildCommand(drydock, { request, again, options: overKept(options, kept) })
    return give(started.command, started.key)
  },
})

/** The work that a plan describes. */
export interface PlanRequest {
  readonly request: SpecRequest
  /** The options of the plan, and the branch that it was made for. */
  readonly kept: KeptOptions
}

/**
 * The request that builds the stories of a plan, with the names of who has edited them. With a
 * version, exactly the ones that somebody has seen. DrydockError `not_found`, `bad_usage`,
 * `already_done` when they were edited meanwhile.
 */
export async function requestOfPlan(
  drydock: SpecSource & ConfigSource & RecordSource & Pick<Ownership, 'own'>,
  id: string,
  version: string | null,
): Promise<PlanRequest> {
  await settleEdits(drydock, id)
  const { spec, stories, run, kept } = await readPlanRequest(drydock, id)
  if (version !== null && planVersion(stories) !== version)
    throw new DrydockError('already_done', 'The plan was edited meanwhile, so nothing was started.', {
      todo: 'Read what it is now, and start it then.',
    })
  const given = { spec, planOnly: false, reviewStories: false, asIs: true, stories, planOf: run }
  return { request: await specRequest(drydock, given), kept }
}

/** Applies the edits that are stored, so that nobody builds what a person has edited already. */
async function settleEdits(
  drydock: Pick<Installation, 'user' | 'userRepository' | 'readConfig'> & RecordSource & Pick<Ownership, 'own'>,
  id: string,
): Promise<void> {
  if (await reading(drydock, (records) => isEdited(records, id))) await applyAlone(drydock)
}

async function isEdited(records: Records, id: string): Promise<boolean> {
  return (await records.pendingCommands()).some(({ command }) => command.kind === 'plan' && command.run === id)
}

/** The work that a plan describes. DrydockError `not_found`, `bad_usage`. */
export function readPlanRequest(drydock: RecordSource, id: string): ReturnType<typeof findPlan> {
  return reading(drydock, async (records) => {
    if (await isEdited(records, id))
      throw usage(`An edit of the plan ${id} is not applied yet.`, 'Give the command again in a moment.')
    return findPlan(records, id)
  })
}

type PlanSource = Parameters<typeof requestOfPlan>[0] & Pick<StateAccess, 'atHub'>

interface PlanView {
  planRequest(of: { readonly run: string }): ReturnType<typeof readPlanRequest>
}

/** The plan that a command was named, here or at a hub. DrydockError as for `requestOfPlan`. */
export async function planFor(drydock: PlanSource, views: PlanView, run: string): Promise<PlanRequest> {
  if (drydock.atHub === null) return requestOfPlan(drydock, run, null)
  const { spec, stories, kept } = await views.planRequest({ run })
  const given = { spec, planOnly: false, reviewStories: false, asIs: true, stories, planOf: run }
  return { request: await specRequest(drydock, given), kept }
}

async function findPlan(records: Records, id: string) {
  const { run } = await findExactly(records, id)
  const { request, stories, target } = run.data
  if (request.kind !== 'spec' || !request.planOnly)
    throw usage(`${run.id} is no plan.`, 'Plan a spec: drydock plan spec.md')
  if (run.state !== 'DONE' || stories === null)
    throw usage(`The plan ${run.id} has no stories: it is ${run.state}.`, 'Wait until it is done, or plan it anew.')
  const kept = { ...request.options, ...(target !== null && { target }) }
  return { spec: request.spec, stories, run: run.id, kept }
}
