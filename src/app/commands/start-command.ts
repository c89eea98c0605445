import { randomBytes } from 'node:crypto'
import type { AcceptanceTests } from '../../domain/acceptance/acceptance-tests.ts'
import type { Command } from '../../domain/command.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { RunRequest } from '../../domain/run/run.ts'
import type { RunModels } from '../../domain/run/run-models.ts'
import { policyFor } from '../../domain/run/run-policy.ts'
import { subjectOf } from '../../domain/run/subject.ts'
import { slug } from '../../domain/text.ts'
import type { Installation } from '../installation.ts'
import type { WorkOptions } from '../work-options.ts'
import type { ConfigCheck } from './check-config.ts'
import { keptOptions } from './kept-options.ts'
import { maxWaitOf } from './max-wait.ts'

/** A requested Run with its checked needs. */
export interface Starting {
  readonly request: RunRequest
  readonly models: RunModels | null
  readonly checked: ConfigCheck
  readonly title: string
  readonly options: WorkOptions
  readonly acceptance?: AcceptanceTests | undefined
}

export interface KeyedStart {
  /** Stores the command only once. */
  readonly key: string
  readonly command: Extract<Command, { kind: 'start' }>
}

/**
 * The command that starts a Run, with a new id made from its subject. Throws DrydockError
 * `no_price` when the Run could not respect its budget in dollars.
 */
export async function startCommand(
  drydock: Pick<Installation, 'env' | 'user' | 'checkPrices' | 'redact'>,
  { request: asked, models, checked: { target, configFile, config }, title, options, acceptance }: Starting,
): Promise<KeyedStart> {
  const { budgetUsd, priority, allowFailing = [] } = options
  const isPlan = asked.kind === 'spec' && asked.planOnly
  const request = isPlan ? { ...asked, options: keptOptions(options) } : asked
  if (models !== null)
    await drydock.checkPrices({ models, policy: policyFor(asked), budgetUsd: budgetUsd ?? null, config })
  // A key in the words would still be one in the id, though none that can be told.
  const run = `${slug(drydock.redact(subjectOf(title)).slice(0, 40))
    .slice(0, 24)
    .replace(/-$/, '')}-${randomBytes(3).toString('hex')}`
  const start = { kind: 'start', run, request, target, configFile, models } as const
  const maxWaitSec = maxWaitOf(drydock, options)
  const terms = {
    ...(budgetUsd !== undefined && { budgetUsd }),
    ...(priority !== undefined && { priority }),
    ...(allowFailing.length > 0 && { allowFailing }),
    ...(acceptance !== undefined && { acceptance }),
    maxWaitSec,
  }
  return { key: `start/${run}`, command: { ...start, ...terms } }
}

/**
 * Containers need a program, and an image that the user names. DrydockError `sandbox_unusable`,
 * before there is a Run.
 */
export async function checkContainers({ sandbox }: Pick<Installation, 'sandbox'>): Promise<void> {
  if (sandbox.name === 'bubblewrap') return
  const probe = await sandbox.probe()
  if (probe.ok) return
  throw new DrydockError('sandbox_unusable', `The sandbox ${sandbox.name} does not work: ${probe.error.errorMessage}`, {
    todo: `See what is missing: drydock doctor --sandbox ${sandbox.name}`,
  })
}
