import { freshLane, type LaneData } from '../../domain/lane/lane.ts'
import { type Progress, withProgressFields } from '../../domain/lane/progress.ts'
import type { Machine, MachineKind } from '../../domain/machine.ts'
import type { AnyMachine } from '../../domain/machines.ts'
import { withRest } from '../../domain/rest.ts'
import { newRun, type RunData } from '../../domain/run/run.ts'
import { policyFor } from '../../domain/run/run-policy.ts'
import { freshWork } from '../../domain/story/story.ts'

/** Fields that machines stored by older versions lack. */
const later: Partial<Record<MachineKind, object>> = {
  run: newRun({
    request: { kind: 'verify' },
    target: null,
    configFile: null,
    models: null,
    budgetUsd: null,
  } as RunData),
  story: { ...freshWork, planned: null, merging: null },
  lane: freshLane,
  verification: { merge: null },
}

/** A stored machine, converted to the current version of its kind. */
export function upcastMachine(stored: Machine): AnyMachine {
  const machine = withRest(stored)
  const data: object = { ...later[machine.kind], ...policyOf(machine), ...(machine.data as object) }
  return { ...machine, data: machine.kind === 'lane' ? withRole(withProgress(data)) : data } as AnyMachine
}

/** The policy of a Run stored by an older version, which holds only its request. */
function policyOf({ kind, data }: Machine): object {
  const { request } = (kind === 'run' ? data : {}) as Partial<RunData>
  return request === undefined ? {} : { policy: policyFor(request) }
}

/** The roles of editors until 0.7.0; the architect reviewed the work of the last two. */
const earlierRoles: Readonly<Record<string, Partial<LaneData>>> = {
  planner: { role: 'editor_planning' },
  coder: { role: 'editor_coding' },
  crew_planner: { role: 'editor_planning', reviewed: true },
  crew_coder: { role: 'editor_coding', reviewed: true },
}

function withRole(lane: { readonly role?: string }): object {
  return { ...lane, ...earlierRoles[lane.role ?? ''] }
}

function withProgress(lane: { readonly progress?: Partial<Progress> }): object {
  return { ...lane, progress: withProgressFields(lane.progress ?? {}) }
}
