import { turnsUsed } from '../../domain/lane/stop-cause.ts'
import { limits } from '../../domain/limits.ts'
import { fewNames } from '../../domain/name-list.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Story, StoryData } from '../../domain/story/story.ts'
import type { VerifierResponse } from '../../domain/verification/verdict.ts'
import { logWithEnd } from '../../domain/verification/why-failed.ts'
import type { ContextFile } from '../../ports/rows.ts'
import { budgetRequest } from '../architect/request-prompts.ts'
import { prepareStuck } from '../editor/milestone.ts'
import { load } from '../machines.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import type { EditorAnswer, StoryMove } from '../story/move-story.ts'

interface Flaky {
  readonly run: Run
  readonly story: Story
  /** Fields of the story that the verdict has changed. */
  readonly data: Partial<StoryData>
  readonly response: VerifierResponse
  /** The answer for the editor, once it may continue. */
  readonly answer: EditorAnswer
}

/**
 * Handles too many verdicts in a row that only flaky tests decided. The architect decides whether
 * the editor continues; without an architect the story ends with a report for its user.
 */
export async function askAboutFlaky(
  deps: StoryDependencies,
  { run, story, data, response, answer }: Flaky,
  signal: AbortSignal,
): Promise<{ readonly move: StoryMove; readonly file: ContextFile | null }> {
  const names = fewNames(response.manifest?.flaky ?? []).join(', ')
  const cause = `flaky tests alone decided its last ${limits.flakyVerdicts} verdicts against it: ${names}`
  const asked = { ...data, flakyInRow: 0 }
  if (run.data.policy.reviewer === null) {
    const stop = { reason: 'flaky_tests', cause } as const
    const tail = logWithEnd(response)
    const stuck = await prepareStuck(deps, { run, story, data: { ...asked, stop }, tail }, signal)
    return { move: { event: 'hard_stop', data: stuck.data }, file: stuck.file }
  }
  if (story.data.lane === null) throw new Error(`story ${story.id} has no lane`)
  const lane = await load(deps.store, 'lane', story.data.lane)
  const spent = { lane: lane.data.key, turns: turnsUsed(lane.data), cause, last: null }
  const request = await budgetRequest(deps, { run, story: { ...story, data: { ...story.data, ...asked } }, spent })
  return { move: { event: 'flaky_verdicts', data: asked, request, answer }, file: null }
}
