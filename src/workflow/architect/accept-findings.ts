import { acceptNoChange } from '../../domain/claim.ts'
import type { Command } from '../../domain/command.ts'
import { type Acceptance, acceptByHuman, holding } from '../../domain/gate/finding.ts'
import { openRemarks } from '../../domain/remark/remark-findings.ts'
import type { ReviewKind } from '../../domain/request/request.ts'
import { followedBy, type Run } from '../../domain/run/run.ts'
import { endedRunStates } from '../../domain/run/run-machine.ts'
import { reviewIn, type Story, type StoryData } from '../../domain/story/story.ts'
import type { Transaction } from '../../ports/store.ts'
import { answerOtherwise, goOn } from '../chat/apply-reply.ts'
import type { DecisionDependencies } from '../lane/dependencies.ts'
import { load, storiesOf } from '../machines.ts'
import { acceptRemarks } from '../remark/accept-remarks.ts'
import { moveRun } from '../run/move-run.ts'
import { appendResult } from '../run/run-result.ts'
import { advanceStory } from '../story/advance-story.ts'
import { moveStory } from '../story/move-story.ts'
import { allowUnmet } from './acceptance/unmet-criteria.ts'

/** Accepts findings for a human. Ids of findings that are not open have no effect. */
export async function acceptFindings(
  tx: Transaction,
  deps: DecisionDependencies,
  { run: id, story: name, findings: ids, by, reason }: Extract<Command, { kind: 'accept' }>,
): Promise<void> {
  const run = await load(tx, 'run', id)
  await acceptRemarks(tx, run, { ids, by, reason })
  const stories = await storiesOf(tx, id)
  const story = name === undefined ? stories[0] : stories.find((each) => each.story === name)
  if (story === undefined) return
  if (run.data.policy.reviewer === null) return acceptOfTask(tx, deps, { run, story, ids, by, reason })
  if (!endedRunStates.includes(run.state))
    return goOn(tx, deps, id, () => acceptOfStory(tx, deps, story, { ids, by, reason }))
  // Only findings about the merged whole can still be accepted; the result event is then appended
  // again.
  await acceptOfStory(tx, deps, story, { ids, by, reason })
  await appendResult(tx, run)
}

interface OfTask extends Acceptance {
  readonly run: Run
  readonly story: Story
}

/**
 * Appends the result of a task again, together with the human's acceptance of its findings or of an
 * empty change.
 */
async function acceptOfTask(
  tx: Transaction,
  deps: DecisionDependencies,
  { run, story, ids, by, reason }: OfTask,
): Promise<void> {
  if (run.data.request.kind !== 'task') return
  if (!endedRunStates.includes(run.state)) {
    // While the story is built, only people's remarks hold it, and criteria that a human is asked
    // about.
    const { findings } = story.data.reviews.code
    const asked = [...openRemarks(findings).map((finding) => finding.id), ...(story.data.unmet?.findings ?? [])]
    const taken = asked.filter((id) => ids.includes(id))
    await appendAccepted(tx, story, taken)
    return takeAccepted(tx, deps, story, { ids: taken, by, reason })
  }
  const kept = await tx.edit(story, { reviews: accepted(story, { ids, by, reason }) })
  await appendAccepted(tx, story, ids)
  const left = openRemarks(kept.data.reviews.code.findings)
  // Accepting an empty change also accepts every open remark, and accepting every remark accepts
  // the change.
  const isMeant = ids.includes(acceptNoChange) || (followedBy(run) !== null && left.length === 0)
  const isTaken = story.state === 'NO_CHANGE' && run.state === 'NO_CHANGE' && isMeant
  if (isTaken) {
    const remarks = left.map((finding) => finding.id)
    await moveStory(tx, deps.clock, kept, { event: 'accepted' })
    await acceptRemarks(tx, run, { ids: remarks, by, reason })
  }
  await appendResult(tx, isTaken ? await moveRun(tx, run, { event: 'accepted', next: 'rest' }) : run)
}

/**
 * A story that was sent back only for these findings is approved at the reviewed commit; otherwise
 * the next round hears of the acceptance.
 */
async function acceptOfStory(
  tx: Transaction,
  deps: DecisionDependencies,
  story: Story,
  { ids, by, reason }: Acceptance,
): Promise<void> {
  const open = Object.values(story.data.reviews).flatMap(({ findings }) => findings)
  const taken = open.filter(({ id, state }) => state === 'open' && ids.includes(id)).map(({ id }) => id)
  if (taken.length === 0) return
  await appendAccepted(tx, story, taken)
  if (story.data.unmet?.findings) return takeAccepted(tx, deps, story, { ids: taken, by, reason })
  const data = { reviews: accepted(story, { ids: taken, by, reason }) }
  const kind = heldReview(story)
  const isSettled =
    kind !== null &&
    holding(story.data.reviews[kind].findings).length > 0 &&
    holding(data.reviews[kind].findings).length === 0
  if (!isSettled) {
    await tx.edit(story, data)
    return
  }
  const event = story.state === 'ESCALATED' ? 'reopened' : 'findings_accepted'
  await answerOtherwise(tx, story, `Accepted as it is: ${taken.join(', ')}`)
  await advanceStory(tx, deps, story, { event, data })
}

/** Stores the acceptance; the question is answered once every unmet criterion is accepted. */
async function takeAccepted(
  tx: Transaction,
  deps: DecisionDependencies,
  story: Story,
  acceptance: Acceptance,
): Promise<void> {
  const data = { reviews: accepted(story, acceptance) }
  const asked = story.data.unmet?.findings ?? []
  const taken = new Set(data.reviews.code.findings.flatMap(({ id, state }) => (state === 'accepted' ? id : [])))
  const isSettled = story.state === 'ESCALATED' && asked.length > 0 && asked.every((id) => taken.has(id))
  if (!isSettled) {
    await tx.edit(story, data)
    return
  }
  await answerOtherwise(tx, story, `Accepted as it is: ${acceptance.ids.join(', ')}`)
  await allowUnmet(tx, deps, story, data)
}

/**
 * The review whose findings hold the story up: a human was asked about them, or the editor works on
 * them and has not handed in a change since.
 */
function heldReview({ state, data }: Story): ReviewKind | null {
  if (state === 'ESCALATED') return reviewIn(data.origin)
  const { plan, code } = data.reviews
  if (state === 'PLANNING') return plan.returned > 0 ? 'plan' : null
  if (state !== 'CODING' || code.returned === 0) return null
  return data.attempts.at(-1)?.sha === code.sha ? 'code' : null
}

function accepted({ data: { reviews } }: Story, acceptance: Acceptance): StoryData['reviews'] {
  const of = (kind: ReviewKind) => ({ ...reviews[kind], findings: acceptByHuman(reviews[kind].findings, acceptance) })
  return { plan: of('plan'), code: of('code'), completion: of('completion') }
}

function appendAccepted(tx: Transaction, { run, story }: Story, ids: readonly string[]) {
  return tx.appendEvent({ run, story, type: 'accepted', data: { findings: [...ids] } })
}
