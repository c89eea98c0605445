import { DrydockError, type ErrorCode } from '../domain/drydock-error.ts'
import { isEnded, type RunError } from '../domain/run.ts'
import type { ModelError } from '../ports/model.ts'
import type { Transaction } from '../ports/store.ts'
import type { Kept } from './keep-story.ts'
import { load, storyOf } from './machines.ts'
import { appendResult } from './run-result.ts'
import { schedule } from './schedule.ts'

export interface Parking {
  readonly run: string
  /** Its next step waits until the Run is resumed. */
  readonly machine: string
  readonly error: RunError
  /** What its workspace holds: its slot goes to another Run, unless there is work in it that could not be kept. */
  readonly kept: Kept
}

/** Puts a Run into ERROR: it gives its slot up unless work in it would be lost, and `drydock resume` goes on where it was. */
export async function parkRun(
  tx: Transaction,
  slots: readonly string[],
  { run: id, machine, error, kept }: Parking,
): Promise<void> {
  const run = await load(tx, 'run', id)
  if (isEnded(run.state)) return
  const story = await storyOf(tx, id)
  if (story && typeof kept === 'object')
    await tx.updateMachine(story, { state: story.state, data: { ...story.data, ...kept } })
  const parked = [...run.data.parked.filter((other) => other !== machine), machine]
  const unkept = kept === 'unkept' || run.data.unkept
  const slot = unkept ? run.data.slot : null
  const next = await tx.updateMachine(run, { state: 'ERROR', data: { ...run.data, error, parked, slot, unkept } })
  await tx.appendEvent({ run: id, story: null, type: 'error', data: { ...error } })
  await appendResult(tx, next)
  await schedule(tx, slots)
}

/** What a person hears of a step that failed; a failure that nobody expected is a bug. */
export function errorOf(error: unknown): RunError {
  if (error instanceof DrydockError) return { code: error.code, message: error.message, todo: error.todo }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { code: 'bug', message, todo: 'Please report this. `drydock resume` tries the step again.' }
}

/** What a person hears of a model that failed for good. */
export function toRunError(error: ModelError, lane: string): RunError {
  const codes: Partial<Record<ModelError['kind'], ErrorCode>> = {
    auth: 'model_refused',
    unknown_model: 'model_refused',
    replay_missing: 'replay_missing',
  }
  const code = codes[error.kind] ?? 'model_failed'
  const todo =
    code === 'model_refused'
      ? 'Correct the key or the model, then run: drydock resume'
      : code === 'replay_missing'
        ? 'Add the turn to the replay file, then run: drydock resume'
        : error.retryable
          ? 'When the provider answers again, run: drydock resume'
          : 'Go on with another model: drydock resume --model <id>'
  return { code, message: `${lane}: ${error.message}`, todo }
}
