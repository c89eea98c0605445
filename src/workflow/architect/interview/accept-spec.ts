import type { InputOf } from '../../../agents/tools/handed-over.ts'
import type { Run } from '../../../domain/run/run.ts'
import { specMarkdown } from '../../../domain/run/written-spec.ts'
import type { WorkflowDependencies } from '../../dependencies.ts'
import { endLane } from '../../lane/answer-lane.ts'
import type { Follow } from '../../lane/follow.ts'
import { load } from '../../machines.ts'
import { moveRun } from '../../run/move-run.ts'
import { appendResult } from '../../run/run-result.ts'
import { interviewOf } from './start-interview.ts'

/** The spec is the Run's answer, and ends it. */
export function acceptSpec(
  { clock }: Pick<WorkflowDependencies, 'clock'>,
  { run: { id }, input }: { readonly run: Run; readonly input: InputOf<'submit_spec'> },
): Follow {
  return async (tx, lane) => {
    const run = await load(tx, 'run', id)
    await endLane(tx, clock, lane.id)
    const answer = { title: input.title, text: specMarkdown(input), file: interviewOf(run).file }
    await appendResult(tx, await moveRun(tx, run, { event: 'spec_written', data: { answer }, next: 'rest' }))
  }
}
