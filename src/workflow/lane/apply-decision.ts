import type { Transaction } from '../../ports/store.ts'
import { answerReview } from '../architect/accept-reply.ts'
import { editAcceptance, moveAcceptance } from '../architect/acceptance/move-acceptance.ts'
import { askRound } from '../architect/interview/ask-user.ts'
import { approvalMove, openStories, refuseStories } from '../architect/plan-spec.ts'
import { startStories } from '../architect/start-stories.ts'
import { askAnew, escalateRequest, escalateRun } from '../chat/escalate-lane.ts'
import { postAnswered } from '../chat/post-message.ts'
import { callFor } from '../editor/hand-in-for.ts'
import { load } from '../machines.ts'
import { moveMerge, moveTip, verifyAdded } from '../merge/move-merge.ts'
import { settleRemarks } from '../remark/settle-remarks.ts'
import { parkRun } from '../rest/park-run.ts'
import { answerRun } from '../run/answer-run.ts'
import { moveRun } from '../run/move-run.ts'
import { appendResult } from '../run/run-result.ts'
import { openQuery } from '../scout/ask-scout.ts'
import { moveQuery } from '../scout/scout-query.ts'
import { advanceStory, submitKnown } from '../story/advance-story.ts'
import { noteAsked } from '../verification/ask-about-base.ts'
import { answerLane, endLane } from './answer-lane.ts'
import type { Act, Acts, Decision } from './decision.ts'
import type { DecisionDependencies } from './dependencies.ts'
import { noteModel } from './stand-in.ts'

type Applying = {
  readonly [Type in keyof Acts]: (tx: Transaction, act: Acts[Type], deps: DecisionDependencies) => Promise<unknown>
}

const applying: Applying = {
  answer_lane: (tx, { answer }, { clock }) => answerLane(tx, clock, answer),
  end_lane: (tx, { lane }, { clock }) => endLane(tx, clock, lane),
  stop_lane: async (tx, { lane }) => tx.move(await load(tx, 'lane', lane), 'stopped', { next: 'rest' }),
  edit_lane: async (tx, { lane, data }) => tx.edit(await load(tx, 'lane', lane), data),
  hand_in_for: callFor,
  advance_story: (tx, { story, move }, deps) => advanceStory(tx, deps, story, move),
  submit_known: (tx, { story, move }, deps) => submitKnown(tx, deps, story, move),
  edit_story: (tx, { story, data }) => tx.edit(story, data),
  keep_file: (tx, { file }) => tx.insertContextFile(file),
  post_message: postAnswered,
  escalate_request: escalateRequest,
  escalate_run: (tx, { run, question }) => escalateRun(tx, run, question),
  ask_anew: askAnew,
  answer_request: answerReview,
  move_acceptance: moveAcceptance,
  edit_acceptance: editAcceptance,
  ask_user: askRound,
  open_stories: openStories,
  refuse_stories: refuseStories,
  async show_stories(tx, { run: id, stories }) {
    const run = await load(tx, 'run', id)
    await moveRun(tx, run, await approvalMove(tx, run, stories))
  },
  start_stories: async (tx, { run, stories }, deps) => startStories(tx, deps, await load(tx, 'run', run), { stories }),
  open_query: (tx, { run, story, data }) => openQuery(tx, run, story, data),
  move_query: moveQuery,
  answer_run: (tx, { run, answer }) => answerRun(tx, run, answer),
  async end_run(tx, { run, ...move }) {
    await appendResult(tx, await moveRun(tx, await load(tx, 'run', run), { ...move, next: 'rest' }))
  },
  park_run: (tx, parking, deps) => parkRun(tx, deps, parking),
  note_asked: noteAsked,
  note_model: noteModel,
  move_merge: moveMerge,
  verify_added: verifyAdded,
  move_tip: moveTip,
  settle_remarks: (tx, { story, commit }) => settleRemarks(tx, story, commit),
  tell: (tx, { event }) => tx.appendEvent(event),
}

/** Applies a decision, act by act, in the transaction that ends the step. */
export async function applyDecision(tx: Transaction, deps: DecisionDependencies, decision: Decision): Promise<void> {
  for (const act of decision) await apply(tx, act, deps)
}

function apply<Type extends keyof Acts>(tx: Transaction, act: Act<Type>, deps: DecisionDependencies): Promise<unknown> {
  return applying[act.type](tx, act, deps)
}
