import type { Run } from '../../domain/run/run.ts'
import { budget } from './act/budget.ts'
import { cancel } from './act/cancel.ts'
import { editPlan } from './act/edit-plan.ts'
import { pause } from './act/pause.ts'
import { post } from './act/post.ts'
import { resume } from './act/resume.ts'
import { retry } from './act/retry.ts'

/** The operations whose rule looks at the state of a Run, as the views name them. */
const steering = { cancel, pause, resume, retry, budget, post, edit: editPlan }

type Steering = keyof typeof steering

export interface Can {
  readonly can: Readonly<Record<Steering, boolean>>
  /** Why not, for those that a Run does not accept in its present state. */
  readonly cannot: Readonly<Partial<Record<Steering, string>>>
}

/** The operations that a Run accepts now, and the refusals of the others. */
export function canNow(run: Run): Can {
  const refusals = Object.entries(steering).map(([name, { may }]) => [name, may?.(run) ?? null] as const)
  return {
    can: Object.fromEntries(refusals.map(([name, refusal]) => [name, refusal === null])) as Can['can'],
    cannot: Object.fromEntries(
      refusals.flatMap(([name, refusal]) => (refusal === null ? [] : [[name, `${refusal.message} ${refusal.todo}`]])),
    ),
  }
}
