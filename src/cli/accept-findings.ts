import type { Drydock } from '../compose.ts'
import type { TrackedFinding } from '../domain/finding.ts'
import type { Run } from '../domain/run.ts'
import type { Story } from '../domain/story.ts'
import type { CommonOptions, Context } from './context.ts'
import { apply } from './control.ts'
import { open } from './open.ts'
import { reading } from './reading.ts'
import { usage } from './usage.ts'

/** `task --accept <id>` without a text: the findings of the gate on the last task's result are taken as they are. */
export async function acceptFindings(
  context: Context,
  ids: readonly string[],
  options: CommonOptions,
): Promise<number> {
  const drydock = await open(context, options)
  const { run, findings } = await lastTask(drydock)
  const known = findings.filter(({ state }) => state !== 'closed').map(({ id }) => id)
  const unknown = ids.filter((id) => !known.includes(id))
  if (unknown.length > 0) {
    const todo = known.length === 0 ? 'It has none.' : `Its findings: ${known.join(', ')}`
    throw usage(`${run.id} has no finding ${unknown.join(', ')}.`, todo)
  }
  return apply(context, { drydock, command: { kind: 'accept', run: run.id, findings: ids }, runs: [run.id], options })
}

async function lastTask(
  drydock: Drydock,
): Promise<{ readonly run: Run; readonly findings: readonly TrackedFinding[] }> {
  return reading(drydock, async (records) => {
    const runs = ((await records?.machines({ kind: 'run' })) ?? []) as readonly Run[]
    const run = runs.findLast(({ state, data }) => data.request.kind === 'task' && state === 'DONE')
    if (run === undefined) throw usage('No task has ended with a result.', 'Say what to do: drydock task "…"')
    const [story] = ((await records?.machines({ kind: 'story', run: run.id })) ?? []) as readonly Story[]
    return { run, findings: story?.data.reviews?.code.findings ?? [] }
  })
}
