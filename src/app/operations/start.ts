import type { actRoutes } from '../../api/act-routes.ts'
import type { InputOf } from '../../api/route.ts'
import { isCommitId } from '../../domain/commit-id.ts'
import type { NamedOptions } from '../commands/named-options.ts'
import type { Before } from '../commands/spec-before.ts'
import { type Starting, startCommand } from '../commands/start-command.ts'
import type { Installation } from '../installation.ts'
import { usage } from '../usage.ts'
import type { Acting } from './operation.ts'
import { done } from './refusals.ts'

type Task = InputOf<typeof actRoutes.startTask>

/**
 * The commit that a client starts from, which it may have pushed; null for any other start.
 * DrydockError `git_failed`.
 */
export async function takePushed(
  { userRepository }: Pick<Installation, 'userRepository'>,
  { target = '' }: Pick<Task, 'target'>,
) {
  if (!isCommitId(target)) return null
  await userRepository.takeBack(target)
  return target
}

/** A recording is a file of the machine: on a hub only who starts the hub may name one. */
export function checkNamed({ by }: Pick<Acting, 'by'>, { models = {} }: NamedOptions): void {
  if (by === null || !Object.values(models).some((model) => model?.startsWith('replay:'))) return
  throw usage('A recording cannot be named on a hub.', 'Name a model of a provider.')
}

/** DrydockError `already_done`. */
export function refuseBefore(before: Before | null): void {
  if (before === null || before.standing === 'over') return
  const state = before.run === null ? 'waits to start' : `is ${before.run.state}`
  throw done(`The same spec already has a run: ${before.id} ${state}.`, 'Open that run, or start over.')
}

/** Also says what a client has left out of the work. */
export async function startFor(
  drydock: Pick<Installation, 'env' | 'user' | 'checkPrices' | 'redact'>,
  { uncommitted }: Pick<Task, 'uncommitted'>,
  of: Starting,
) {
  const { key, command } = await startCommand(drydock, of)
  return { key, command: { ...command, ...(uncommitted !== undefined && { uncommitted }) } }
}
