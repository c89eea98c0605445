import { askArchitectInput } from '../../agents/tools/ask-architect.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import type { Run } from '../../domain/run/run.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { answerLane } from '../lane/answer-lane.ts'
import type { Follow } from '../lane/follow.ts'
import { requireStory } from '../machines.ts'
import { advanceStory } from '../story/advance-story.ts'
import { snapshotStory } from '../story/snapshot.ts'
import { questionRequest } from './request-prompts.ts'

/**
 * QUESTION: the editor's lane waits for the architect's answer, which sees the workspace as it is
 * now.
 */
export async function askArchitect(
  deps: WorkflowDependencies,
  { run, lane, input }: { readonly run: Run; readonly lane: Lane; readonly input: unknown },
  signal: AbortSignal,
): Promise<Follow> {
  const { question } = askArchitectInput.parse(input)
  const story = await requireStory(deps.store, lane)
  const snapshot = await snapshotStory(deps, story, signal, { why: 'a question to the architect' })
  if (!snapshot.ok) {
    // While it waits its slot may go to another story: nothing may be in the workspace that is in
    // no snapshot.
    const output = `The architect cannot be shown your workspace: ${snapshot.reason}`
    return (tx, current) => answerLane(tx, deps.clock, { lane: current.id, output, ok: false })
  }
  const data = { ...story.data, ...snapshot.data }
  const request = await questionRequest(deps, { run, story: { ...story, data }, question })
  return async (tx) => {
    await advanceStory(tx, deps, story, { event: 'asked', data, request })
  }
}
