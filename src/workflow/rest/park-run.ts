import { withDiskFull } from '../../domain/disk-full.ts'
import { DrydockError, type ErrorCode } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import { type RunRest, restedMachines } from '../../domain/rest.ts'
import { againAfter } from '../../domain/run/again.ts'
import { isEnded, type Run, type RunError } from '../../domain/run/run.ts'
import { InfraFailure } from '../../gate/infra-failure.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ModelError } from '../../ports/model.ts'
import type { Transaction } from '../../ports/store.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { load, storiesOf } from '../machines.ts'
import { requeueMerges, startNextMerge } from '../merge/merge-queue.ts'
import { moveRun } from '../run/move-run.ts'
import { appendResult } from '../run/run-result.ts'
import { schedule } from '../run/schedule.ts'
import { describeUnkept, isUnkept, type KeptSnapshot, type Unkept } from '../story/keep-story.ts'

export interface Parking {
  readonly run: string
  /** The machine whose next step waits until the Run is resumed. */
  readonly machine: string
  readonly error: RunError
  /**
   * The workspace's contents after saving. Its slot goes to another Run, unless some work could not
   * be saved.
   */
  readonly kept: KeptSnapshot | Unkept
}

/**
 * Puts a Run into ERROR; `drydock resume` continues where it was. A task gives up its slot unless
 * work in it would be lost; a crew's stories keep their slots, and no step of them is taken in the
 * meantime.
 */
export async function parkRun(
  tx: Transaction,
  deps: DecisionDependencies,
  { run: id, machine, error, kept }: Parking,
): Promise<void> {
  const run = await load(tx, 'run', id)
  if (isEnded(run.state)) return
  const before = restedMachines(run.data.rest)
  const rest = errorRest(deps.clock, [...before.filter((other) => other !== machine), machine])
  if (run.data.policy.slot === 'story') {
    await stop(tx, deps, await parkSteps(tx, run, rest), error)
    // The Run may have been merging, and merges of other Runs wait.
    await startNextMerge(tx, deps)
    return
  }
  const story = (await storiesOf(tx, id))[0]
  const unkept = isUnkept(kept) || run.data.unkept
  const slot = unkept ? run.data.slot : null
  if (story) {
    // The workspace may belong to another story by then, so the sandboxes close.
    await tx.edit(story, { ...(kept !== 'nothing' && !isUnkept(kept) && kept), ...(slot === null && { slot }) })
  }
  const told = isUnkept(kept) ? { ...error, message: `${error.message}\n${describeUnkept(kept)}` } : error
  await stop(tx, deps, { ...run, data: { ...run.data, rest, slot, unkept } }, told)
  await schedule(tx, deps)
}

async function stop(
  tx: Transaction,
  { clock, share }: Pick<DecisionDependencies, 'clock' | 'share'>,
  run: Run,
  error: RunError,
): Promise<void> {
  const now = { now: clock.now(), random: clock.random() }
  const again = share.retries
    ? againAfter({ ...now, code: error.code, last: run.data.again, pauses: limits.retries })
    : null
  const next = await moveRun(tx, run, { event: 'failed', data: { error, again }, next: 'rest' })
  await tx.appendEvent({ run: run.id, story: null, type: 'error', data: { ...error } })
  await appendResult(tx, next)
}

/**
 * Removes every queued step of a crew's Run and remembers its machine; a running merge returns to
 * the queue with its progress. Stores and returns the Run.
 */
export async function parkSteps(tx: Transaction, run: Run, rest: RunRest): Promise<Run> {
  const waiting = await tx.drop(run.id)
  const requeued = await requeueMerges(tx, run.id)
  const machines = [...new Set([...rest.machines, ...waiting])].filter((id) => !requeued.has(id))
  return tx.edit(run, { rest: { ...rest, machines } })
}

/** A step has failed: the next steps of these machines wait until the Run is resumed. */
export function errorRest(clock: Clock, machines: readonly string[]): RunRest {
  return { because: 'error', since: clock.now().toISOString(), machines }
}

/** The error of a failed step for a person; an unexpected failure is a bug. */
export function errorOf(thrown: unknown): RunError {
  const error = withDiskFull(thrown)
  if (error instanceof DrydockError) return { code: error.code, message: error.message, todo: error.todo }
  if (error instanceof InfraFailure) return architectFailure(error)
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { code: 'bug', message, todo: 'Please report this. `drydock resume` tries the step again.' }
}

/** Infrastructure failures of other agents end a story instead. */
function architectFailure({ infra }: InfraFailure): RunError {
  return {
    code: 'architect_sandbox_ended',
    message: `The architect's sandbox cannot be opened: ${infra.errorMessage}`,
    todo: 'Run `drydock doctor`. Once the sandbox works again: drydock resume',
  }
}

/** The error of a permanently failed model for a person. */
export function toRunError(error: ModelError, lane: string): RunError {
  const { code, todo } = (error.exhausted && spent) || (error.came && unusable) || remedies[error.kind] || passing
  const isGone = error.unreachable === true
  return {
    code: isGone ? 'provider_unreachable' : code,
    message: `${lane}: ${error.message}`,
    todo: error.todo ?? todo,
  }
}

interface Remedy {
  readonly code: ErrorCode
  readonly todo: string
}

const passing: Remedy = { code: 'model_failed', todo: 'Once the provider answers again, run: drydock resume' }
const spent: Remedy = {
  code: 'model_refused',
  todo: 'Add credit to the account, or raise its limit, then run: drydock resume. Or continue with another model: drydock resume --model <id>',
}
const unusable: Remedy = {
  code: 'model_failed',
  todo: 'Look at the log of the model server and at proxies on the way, then run: drydock resume. Or continue with another model: drydock resume --model <id>',
}

const remedies: Partial<Record<ModelError['kind'], Remedy>> = {
  auth: {
    code: 'model_refused',
    todo: 'Put a valid key into the variable of the provider, then run: drydock resume',
  },
  unknown_model: {
    code: 'model_refused',
    todo: 'Continue with a model that the provider has: drydock resume --model <id>',
  },
  no_access: {
    code: 'model_refused',
    todo: 'Have the model enabled for the account of the key, or continue with another: drydock resume --model <id>',
  },
  no_tools: {
    code: 'no_tools',
    todo: 'Continue with a model that can call tools: drydock resume --model <id>',
  },
  bad_request: {
    code: 'model_failed',
    todo: 'If it names a setting, correct that of the provider in your config.json (such as effort, temperature, extra_body), then run: drydock resume. Or continue with another model: drydock resume --model <id>',
  },
  context_overflow: {
    code: 'model_failed',
    todo: 'Continue with a model that has a larger context: drydock resume --model <id>',
  },
  prompt_truncated: {
    code: 'model_failed',
    todo: 'Raise num_ctx of the provider in your config.json, or choose another model. Then run: drydock resume',
  },
  reply_truncated: {
    code: 'model_failed',
    todo: 'Raise max_output_tokens of the provider in your config.json, ask for less at once, or continue with another model: drydock resume --model <id>',
  },
  replay_missing: { code: 'replay_missing', todo: 'Add the turn to the replay file, then run: drydock resume' },
}
