import type { StateReader } from '../compose.ts'
import { acceptNoChange } from '../domain/claim.ts'
import type { Command } from '../domain/command.ts'
import { heldByGate } from '../domain/gate-finding.ts'
import type { Run } from '../domain/run.ts'
import type { Story } from '../domain/story.ts'
import type { CommonOptions, Context } from './context.ts'
import { apply } from './control.ts'
import { open } from './open.ts'
import { reading } from './reading.ts'
import { usage } from './usage.ts'

interface Accepting {
  /** Null for the last task that has a result. */
  readonly run: string | null
  readonly ids: readonly string[]
}

/** `task --accept <id>` without a text: findings of the gate on a task's result, or that it has none, are taken as they are. */
export async function acceptFindings(context: Context, accepting: Accepting, options: CommonOptions): Promise<number> {
  const drydock = await open(context, options)
  const command = await reading(drydock, (records) => acceptCommand(records, accepting))
  return apply(context, { drydock, command, runs: [command.run], options, only: true, holds: false })
}

/** Of the task that is named, or the last that has a result. DrydockError `usage` for an id that it does not have. */
export async function acceptCommand(
  records: StateReader | null,
  { run: id, ids }: Accepting,
): Promise<Extract<Command, { kind: 'accept' }>> {
  const runs = ((await records?.machines({ kind: 'run' })) ?? []) as readonly Run[]
  const run = runs.findLast(
    ({ id: each, state, data }) =>
      data.request.kind === 'task' && (state === 'DONE' || state === 'NO_CHANGE') && (id === null || each === id),
  )
  if (run === undefined) {
    const what = id === null ? 'No task has ended with a result.' : `${id} is no task that has ended with a result.`
    throw usage(what, 'The findings of a story are accepted by its reviewer.')
  }
  const [story] = ((await records?.machines({ kind: 'story', run: run.id })) ?? []) as readonly Story[]
  const found = heldByGate(story?.data.reviews?.code.findings ?? []).map((finding) => finding.id)
  const known = run.state === 'NO_CHANGE' ? [...found, acceptNoChange] : found
  const unknown = ids.filter((each) => !known.includes(each))
  if (unknown.length === 0) return { kind: 'accept', run: run.id, findings: ids }
  const todo = known.length === 0 ? 'It has none.' : `Its findings: ${known.join(', ')}`
  throw usage(`${run.id} has no finding ${unknown.join(', ')}.`, todo)
}
