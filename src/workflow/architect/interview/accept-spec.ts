import { specMarkdown } from '../../../domain/run/written-spec.ts'
import type { Decision, LaneCall } from '../../lane/decision.ts'

/** The spec is the Run's answer, and ends the Run. */
export function acceptSpec({ run, lane, input }: LaneCall<'submit_spec'>): Decision {
  const { request } = run.data
  if (request.kind !== 'interview') throw new Error(`run ${run.id} is no interview`)
  const answer = { title: input.title, text: specMarkdown(input), file: request.file }
  return [
    { type: 'end_lane', lane: lane.id },
    { type: 'end_run', run: run.id, event: 'spec_written', data: { answer } },
  ]
}
