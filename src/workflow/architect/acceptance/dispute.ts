import type { Acceptance, AcceptanceData } from '../../../domain/acceptance/acceptance.ts'
import { filesOver, type WrittenTests } from '../../../domain/acceptance/acceptance-tests.ts'
import { standWords } from '../../../domain/acceptance/acceptance-words.ts'
import type { Criterion } from '../../../domain/acceptance/criteria.ts'
import { claimText } from '../../../domain/claim.ts'
import { limits } from '../../../domain/limits.ts'
import type { Run } from '../../../domain/run/run.ts'
import type { Story } from '../../../domain/story/story.ts'
import { acceptanceFacts } from '../../../gate/acceptance/acceptance-facts.ts'
import type { Decision, LaneCall } from '../../lane/decision.ts'
import { refuseCall } from '../../lane/refuse-call.ts'
import { load, requireStory } from '../../machines.ts'
import type { StoryDependencies } from '../../story/dependencies.ts'
import type { NewRequest } from '../open-request.ts'
import { disputePrompt } from '../prompts/acceptance.ts'
import { requestStart } from '../request-prompts.ts'
import { storyBrief } from './judged-story.ts'
import { acceptanceOf, encoded, testsOf } from './story-tests.ts'

interface DisputeInput {
  readonly run: Run
  readonly story: Story
  readonly acceptance: Acceptance
  /** The unmet criteria. */
  readonly criteria: readonly Criterion[]
}

/** Asks a lane that has not written the tests whether they are right. */
export async function disputeRequest(
  deps: StoryDependencies,
  { run, story, acceptance, criteria }: DisputeInput,
): Promise<NewRequest> {
  const sha = story.data.attempts.at(-1)?.sha ?? story.data.base
  const { about, base } = await requestStart(deps, { run, story, kind: 'acceptance', sha, guidance: null })
  const { change } = story.data
  const said = change?.claim === undefined ? (change?.summary ?? '') : claimText(change.claim)
  const { text: diff } = await deps.history.diff({ from: story.data.base, to: sha, maxBytes: limits.promptDiffBytes })
  const asked = { brief: storyBrief(run, story), tests: await testsOf(deps, acceptance), criteria, said, diff }
  const { coder } = about
  return {
    ...base,
    prompt: { text: disputePrompt({ ...asked, entries: acceptance.data.interface, coder, sha }), guidance: null },
  }
}

/**
 * ACCEPTANCE_REVIEW: if the tests stand, the story returns to its editor, who learns that but no
 * reason. A wrong test is repaired and tried on the base again, or is dropped; then the same change
 * is verified once more.
 */
export async function acceptJudgement(
  deps: StoryDependencies,
  { run, lane, input }: LaneCall<'submit_judgement'>,
  signal: AbortSignal,
): Promise<Decision> {
  const request = await load(deps.store, 'request', lane.data.parent)
  const story = await requireStory(deps.store, lane)
  const acceptance = await acceptanceOf(deps.store, story)
  if (acceptance === null) throw new Error(`${story.id} has no acceptance tests`)
  const tests = await testsOf(deps, acceptance)
  const settled = new Set(acceptance.data.criteria.flatMap(({ id, judged }) => (judged?.by === undefined ? [] : [id])))
  const known = new Set([...settled, ...tests.criteria.map(({ id }) => id)])
  const odd = input.criteria.find(({ id }) => !known.has(id))
  if (odd !== undefined)
    return refuseCall(deps, { run, lane, output: `There is no tested criterion ${odd.id}.` }, signal)
  // A person has decided in the meantime: that decision counts, and the change is verified with it.
  const open = acceptance.state === 'READY' ? input.criteria.filter(({ id }) => !settled.has(id)) : []
  const isMended = open.some(({ decision }) => decision === 'mended')
  const after = judged(acceptance.data, tests, { criteria: open, files: isMended ? input.files : [] })
  const isChanged = open.length < input.criteria.length || open.some(({ decision }) => decision !== 'stands')
  const response = input.criteria.map(({ id, decision, reason }) => `${id} ${decision}: ${reason}`).join('\n')
  const ofTests = isMended
    ? ({
        type: 'move_acceptance',
        acceptance,
        event: 'mended',
        data: { ...after.data, isMended },
        tests: after.tests,
      } as const)
    : ({ type: 'edit_acceptance', acceptance, data: after.data, tests: after.tests } as const)
  const words = standWords(after.data.criteria.filter(({ id }) => input.criteria.some((each) => each.id === id)))
  const verdict = isChanged ? ('APPROVED' as const) : ('NEEDS_CHANGES' as const)
  return [
    { type: 'end_lane', lane: lane.id },
    { type: 'answer_request', request, verdict, response },
    ...(open.length === 0 ? [] : [ofTests]),
    isChanged
      ? { type: 'advance_story', story, move: { event: 'approved' } }
      : {
          type: 'advance_story',
          story,
          move: { event: 'needs_changes', answer: { output: words, ok: false } },
        },
  ]
}

type JudgementInput = LaneCall<'submit_judgement'>['input']

function judged(
  { criteria }: AcceptanceData,
  tests: WrittenTests,
  { criteria: decided, files }: Pick<JudgementInput, 'criteria' | 'files'>,
): { readonly data: Pick<AcceptanceData, 'criteria' | 'digest'>; readonly tests: WrittenTests } {
  const byId = new Map(decided.map((each) => [each.id, each]))
  const left = tests.criteria.filter(({ id }) => byId.get(id)?.decision !== 'dropped')
  const own: WrittenTests = {
    stub: tests.stub,
    problems: [],
    files: filesOver(tests.files, files.map(encoded)),
    criteria: left.map((each) => ({ ...each, tests: byId.get(each.id)?.tests ?? each.tests })),
  }
  const after = criteria.map((each): Criterion => {
    const found = byId.get(each.id)
    if (found === undefined) return each
    const { decision, reason } = found
    return { ...each, judged: { decision, reason }, ...(decision === 'dropped' && { state: decision }) }
  })
  return { data: { criteria: after, digest: left.length === 0 ? null : acceptanceFacts(own).digest }, tests: own }
}
