import { randomUUID } from 'node:crypto'
import type { Command } from '../../domain/command.ts'
import type { Run } from '../../domain/run/run.ts'
import { namesStories } from '../../domain/run/run-policy.ts'
import type { Drydock } from '../drydock.ts'
import { possibleWith } from '../possible.ts'
import { reading } from '../reading.ts'
import { usage } from '../usage.ts'
import { findWork } from '../views/find/find-work.ts'
import type { WorkOptions } from '../work-options.ts'
import { namedModels } from './check-models.ts'
import { namedMaxWait } from './max-wait.ts'
import { retryWork } from './retry-story.ts'

interface Retrying {
  readonly guidance: string | null
  readonly options: WorkOptions
}

/**
 * The command that retries the named Run or story, or else the latest Run. Throws DrydockError
 * `bad_usage`, and names what can be retried.
 */
export async function retryCommand(
  drydock: Drydock,
  id: string | undefined,
  { guidance, options }: Retrying,
): Promise<Extract<Command, { kind: 'reply' | 'retry' }>> {
  return reading(drydock, async (records) => {
    const work = await findWork(records, id)
    const { run } = work
    if (id === undefined && (run.state === 'CANCELLED' || !(possibleWith(run).retry || namesStories(run))))
      throw notRetried(run, await records.machines({ kind: 'run' }))
    const models = namedModels(drydock, options, { crew: run.data.policy.reviewer !== null, before: run.data.models })
    const command = await retryWork(records, work, { guidance, models, ...namedMaxWait(drydock, options) })
    // An answer cannot name a model; what comes first is applied first.
    if (command.kind === 'reply' && models !== null)
      await drydock.submit(`resume/${randomUUID()}`, { kind: 'resume', run: run.id, models, keepsEnded: true })
    return command
  })
}

/** Without an id the latest run is meant, and no other; what was cancelled must be named. */
function notRetried(run: Run, all: readonly Run[]) {
  const others = all.filter((other) => other.id !== run.id && possibleWith(other).retry)
  const named = others.map(({ id, state }) => `drydock retry ${id} (${state})`)
  if (run.state === 'CANCELLED')
    return usage(
      `The latest run, ${run.id}, was cancelled. It is retried only by its id.`,
      [`Retry it: drydock retry ${run.id}`, ...named].join(', or: '),
    )
  return usage(
    `The latest run, ${run.id}, cannot be retried: it is ${run.state}.`,
    named.length === 0 ? 'Start a new task: drydock task "…"' : `Retry another: ${named.join(', ')}`,
  )
}
