import { randomBytes } from 'node:crypto'
import type { Drydock } from '../../compose.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { RunModels, RunRequest } from '../../domain/run/run.ts'
import { slug } from '../../domain/text.ts'
import type { CommonOptions, Context } from '../context.ts'
import type { Checked } from '../open.ts'
import { type Attended, attend, waiting } from './attend.ts'
import { maxWaitOf } from './max-wait.ts'
import { uncommittedWork } from './uncommitted-work.ts'

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
  const { config } = checked
  await checkContainers(drydock)
  if (models !== null) await drydock.checkPrices({ models, budgetUsd: options.budgetUsd ?? null, config })
  const maxWaitSec = maxWaitOf(context, drydock, options)
  const { key, command } = startCommand({ ...starting, maxWaitSec })
  await drydock.submit(key, { ...command, ...(await uncommittedWork(drydock, request)) })
  return attend(context, {
    ...{ drydock, runs: [command.run], after: 0, coders: checked.coders, own: true, ...waiting(context, options) },
    record: options.record,
    only: request.kind === 'verify',
    ...more,
  })
}

/**
 * Containers need a program, and an image that the user names. DrydockError `sandbox_unusable`,
 * before there is a Run.
 */
async function checkContainers({ sandbox }: Drydock): Promise<void> {
  if (sandbox.name === 'bubblewrap') return
  const probe = await sandbox.probe()
  if (probe.ok) return
  throw new DrydockError('sandbox_unusable', `The sandbox ${sandbox.name} does not work: ${probe.error.errorMessage}`, {
    todo: `See what is missing: drydock doctor --sandbox ${sandbox.name}`,
  })
}

/** What starts a Run, under a new id that speaks of it. */
export function startCommand({
  drydock,
  request,
  models,
  checked: { target, configFile },
  title,
  options: { budgetUsd },
  maxWaitSec,
}: Pick<Start, 'drydock' | 'request' | 'models' | 'checked' | 'title' | 'options'> & { readonly maxWaitSec?: number }) {
  // A key in the words would still be one in the id, though none that can be told.
  const run = `${slug(drydock.redact(title).slice(0, 40)).slice(0, 24).replace(/-$/, '')}-${randomBytes(3).toString('hex')}`
  const start = { kind: 'start', run, request, target, configFile, models } as const
  return {
    key: `start/${run}`,
    command: {
      ...start,
      ...(budgetUsd !== undefined && { budgetUsd }),
      ...(maxWaitSec !== undefined && { maxWaitSec }),
    },
  }
}
