import { softAndHard } from '../../../domain/lane/next-request.ts'
import { notBegun } from '../../../domain/run/interview.ts'
import type { InterviewRequest } from '../../../domain/run/run.ts'
import type { WorkflowDependencies } from '../../dependencies.ts'
import { openLane } from '../../lane/open-lane.ts'
import type { Beginning, FirstWork } from '../../run/beginning.ts'
import { interviewLane } from '../plan-spec.ts'
import { interviewPrompt } from '../prompts/interview.ts'

/** Opens the architect's sandbox and its lane. */
export async function beginInterview(
  deps: Pick<WorkflowDependencies, 'architect' | 'guides'>,
  { run, request: { spec }, pins: { base, config } }: Beginning<InterviewRequest>,
  signal: AbortSignal,
): Promise<FirstWork> {
  const [guide] = await Promise.all([deps.guides.of(base), deps.architect.start(signal)])
  return {
    move: async () => ({ event: 'interview_started', data: { interview: notBegun }, log: { base }, next: 'rest' }),
    async work(tx) {
      await openLane(tx, {
        run: run.id,
        story: null,
        key: interviewLane,
        parent: run.id,
        role: 'architect_interview',
        limits: softAndHard(config.scoping),
        prompt: (speak) => interviewPrompt({ spec, base, guide }, speak),
      })
    },
  }
}
