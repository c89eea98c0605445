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

/** A requested Run whose requirements have been checked. */
export interface Starting {
  readonly request: RunRequest
  readonly models: RunModels | null
  readonly checked: ConfigCheck
  readonly title: string
  readonly options: WorkOptions
  readonly acceptance?: AcceptanceTests | undefined
}

export interface KeyedStart {
  /** The idempotency key of the command. */
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
  // Redacts first: a secret in the title would survive in the id, in a form that redaction no
  // longer recognises.
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
 * Checks that the container program and the image exist. Throws DrydockError `sandbox_unusable`, so
 * that no Run begins without them.
 */
export async function checkContainers({ sandbox }: Pick<Installation, 'sandbox'>): Promise<void> {
  if (sandbox.name === 'bubblewrap') return
  const probe = await sandbox.probe()
  if (probe.ok) return
  throw new DrydockError('sandbox_unusable', `The sandbox ${sandbox.name} does not work: ${probe.error.errorMessage}`, {
    todo: `See what is missing: drydock doctor --sandbox ${sandbox.name}`,
  })
}
