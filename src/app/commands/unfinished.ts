import type { UnfinishedWork } from '../../api/views/continue.ts'
import type { Command } from '../../domain/command.ts'
import type { Run } from '../../domain/run/run.ts'
import { policyFor } from '../../domain/run/run-policy.ts'
import type { Installation } from '../installation.ts'
import { retry } from '../operations/act/retry.ts'
import { reading } from '../reading.ts'
import type { RecordSource } from '../state-access.ts'
import { findWork, isUnfinished } from '../views/find/find-work.ts'
import type { WorkOptions } from '../work-options.ts'
import { namedModels } from './check-models.ts'
import { namedMaxWait } from './max-wait.ts'
import { storedReviews } from './stored-reviews.ts'
import { storedStarts } from './stored-starts.ts'

/** True for a task that only an infrastructure failure ended. */
const canContinue = (run: Run): boolean => run.state === 'INFRA_ERROR' && retry.may?.(run) === null

const oneOf = (runs: readonly Run[]): Run | null => (runs.length === 1 ? (runs[0] ?? null) : null)

/** The unfinished work of the named Run, or of all Runs. Throws DrydockError `not_found`. */
export async function findUnfinished(drydock: RecordSource, id: string | undefined): Promise<UnfinishedWork> {
  const waiting = id === undefined ? await storedStarts(drydock) : []
  const reviews = await storedReviews(drydock, id)
  const look = () =>
    reading(drydock, async (records) => {
      const { run } = await findWork(records, id)
      return { run, all: await records.machines({ kind: 'run' }) }
    })
  const found = waiting.length > 0 ? await look().catch(() => null) : await look()
  const meant = found === null ? [] : id === undefined ? found.all : [found.run]
  const known = meant.filter(isUnfinished)
  return {
    runs: [...known.map((run) => run.id), ...waiting.map((start) => start.run), ...reviews],
    last: found && { run: found.run.id, can_continue: canContinue(found.run) },
    crew:
      known.some((run) => run.data.policy.reviewer !== null) ||
      waiting.some(({ request }) => policyFor(request).reviewer !== null),
    models: oneOf(known)?.data.models ?? null,
  }
}

/** Resumes all that is unfinished, with options that are checked. DrydockError `bad_usage`. */
export function resumeCommand(
  drydock: Pick<Installation, 'env' | 'user' | 'model' | 'agent'>,
  { crew, models: before }: Pick<UnfinishedWork, 'crew' | 'models'>,
  options: WorkOptions,
): Extract<Command, { kind: 'resume' }> {
  const models = namedModels(drydock, options, { crew, before })
  return { kind: 'resume', run: null, models, ...namedMaxWait(drydock, options) }
}
