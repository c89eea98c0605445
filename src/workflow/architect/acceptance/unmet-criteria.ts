import { unmetWords } from '../../../domain/acceptance/acceptance-words.ts'
import type { Criterion } from '../../../domain/acceptance/criteria.ts'
import { acceptByHuman } from '../../../domain/gate/finding.ts'
import type { Run } from '../../../domain/run/run.ts'
import { freshWork, type Story, type StoryData } from '../../../domain/story/story.ts'
import type { VerifierResponse } from '../../../domain/verification/verdict.ts'
import type { Transaction } from '../../../ports/store.ts'
import { verdictMarks } from '../../editor/answer-marks.ts'
import type { DecisionDependencies } from '../../lane/dependencies.ts'
import { cancelRun } from '../../run/cancel-run.ts'
import { advanceStory } from '../../story/advance-story.ts'
import type { StoryDependencies } from '../../story/dependencies.ts'
import type { StoryMove } from '../../story/move-story.ts'
import { trackedFindings } from '../../verification/tracked-findings.ts'
import { disputeRequest } from './dispute.ts'
import { acceptanceOf } from './story-tests.ts'

interface Unmet {
  readonly run: Run
  readonly story: Story
  /** The data after the verdict was counted. */
  readonly data: Partial<StoryData>
  readonly response: VerifierResponse
}

/**
 * The transition of a green change that leaves criteria unmet which nobody has accepted. The editor
 * learns which ones; then a lane other than the author reviews the tests; if these stand and stay
 * unmet, a human decides. Null if every criterion is met.
 */
export async function unmetCriteria(
  deps: StoryDependencies,
  { run, story, data: counted, response }: Unmet,
): Promise<StoryMove | null> {
  const results = response.manifest?.acceptance?.criteria ?? []
  const findings = trackedFindings(run, story.data, response)
  const accepted = new Set(findings.flatMap(({ id, state }) => (state === 'accepted' ? id : [])))
  const missed = results.filter(({ finding }) => finding !== undefined && !accepted.has(finding))
  if (missed.length === 0) return null
  const ids = new Set(missed.map(({ id }) => id))
  const acceptance = await acceptanceOf(deps.store, story)
  const criteria = (acceptance?.data.criteria ?? []).filter(({ id }) => ids.has(id))
  if (acceptance === null || criteria.length === 0) return null
  const { reviews } = story.data
  const data = { ...counted, reviews: { ...reviews, code: { ...reviews.code, findings } } }
  const { told, judged } = story.data.unmet ?? freshWork.unmet
  if (told > 0 && judged >= told)
    return askHuman({ story, data, criteria, findings: missed.flatMap((x) => x.finding ?? []) })
  if (told > 0) {
    const request = await disputeRequest(deps, {
      run,
      story: { ...story, data: { ...story.data, ...data } },
      acceptance,
      criteria,
    })
    return { event: 'criteria_disputed', data: { ...data, unmet: { told, judged: judged + 1 } }, request }
  }
  const answer = { output: unmetWords(criteria), ok: false, marks: verdictMarks(response) }
  return { event: 'criteria_unmet', data: { ...data, unmet: { told: 1, judged } }, answer }
}

interface Asking {
  readonly story: Story
  readonly data: Partial<StoryData>
  readonly criteria: readonly Criterion[]
  readonly findings: readonly string[]
}

/**
 * Asks a human, with the criteria and the editor's account. The architect's opinion of the tests
 * stays out, since the editor can read the thread.
 */
function askHuman({ story, data, criteria, findings }: Asking): StoryMove {
  const named = criteria.map(({ id }) => id).join(', ')
  const evidence = criteria.map(({ id, text }) => `${id}: ${text}`)
  const said = story.data.change?.summary
  return {
    event: 'criteria_stand',
    data: { ...data, unmet: { told: 0, judged: 0, findings } },
    question: {
      question: `The change of ${story.story} passes every test that its editor sees, and does not meet ${named} by tests that it does not see. Reply \`allow\` to take the change as it is, or say what its editor should do.`,
      tried: `the editor was told twice; another architect has looked at the tests, which stand. Its reasons, and the tests: drydock acceptance ${story.run}`,
      evidence: [...evidence, ...(said ? [`The editor: ${said}`] : [])].join('\n'),
      findings,
    },
  }
}

/**
 * Applies a human's answer about unmet criteria: accept them, stop the story, or guide its editor.
 */
export async function answerAboutCriteria(
  tx: Transaction,
  deps: DecisionDependencies,
  story: Story,
  text: string,
): Promise<void> {
  const [word = ''] = /\w+/.exec(text) ?? []
  if (word.toLowerCase() === 'stop') return cancelRun(tx, deps, story.run)
  const { reviews, unmet } = story.data
  if (word.toLowerCase() === 'allow') {
    const accepted = acceptByHuman(reviews.code.findings, { ids: unmet?.findings ?? [], by: undefined })
    const data = { reviews: { ...reviews, code: { ...reviews.code, findings: accepted } } }
    return allowUnmet(tx, deps, story, data)
  }
  const answer = { output: '', guidance: text, ok: true }
  await advanceStory(tx, deps, story, { event: 'guided', data: { unmet: freshWork.unmet }, answer })
}

/** Verifies the same change again, with its unmet criteria accepted. */
export async function allowUnmet(
  tx: Transaction,
  deps: DecisionDependencies,
  story: Story,
  data: Pick<StoryData, 'reviews'>,
): Promise<void> {
  await advanceStory(tx, deps, story, { event: 'allowed', data: { ...data, unmet: freshWork.unmet } })
}
