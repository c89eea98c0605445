import { randomBytes } from 'node:crypto'
import type { Drydock } from '../compose.ts'
import type { RunModels, RunRequest } from '../domain/run.ts'
import { slug } from '../domain/text.ts'
import { type Attended, attend } from './attend.ts'
import type { CommonOptions, Context } from './context.ts'
import type { Checked } from './open.ts'

export interface Start extends Attended {
  readonly drydock: Drydock
  readonly request: RunRequest
  readonly models: RunModels | null
  readonly checked: Checked
  readonly title: string
  readonly options: CommonOptions
}

/** Stores a Run and attends it to its result. */
export async function startRun(context: Context, starting: Start): Promise<number> {
  const { drydock, request, models, checked, title, options, ...more } = starting
  const run = `${slug(title.slice(0, 40)).slice(0, 24).replace(/-$/, '')}-${randomBytes(3).toString('hex')}`
  const { target, configFile, coders } = checked
  await drydock.submit(`start/${run}`, {
    ...{ kind: 'start', run, request, target, configFile, models },
    ...(options.budgetUsd !== undefined && { budgetUsd: options.budgetUsd }),
  })
  return attend(context, {
    ...{ drydock, runs: [run], after: 0, coders, own: true, noWait: options.wait === false },
    record: options.record,
    ...more,
  })
}
