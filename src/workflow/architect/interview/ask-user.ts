import { limits } from '../../../domain/limits.ts'
import { type AskedQuestion, optionLines, type Question } from '../../../domain/run/interview.ts'
import type { Run } from '../../../domain/run/run.ts'
import type { Transaction } from '../../../ports/store.ts'
import type { WorkflowDependencies } from '../../dependencies.ts'
import { answerLane } from '../../lane/answer-lane.ts'
import type { Acts } from '../../lane/decision.ts'
import { laneId } from '../../lane/open-lane.ts'
import { load } from '../../machines.ts'
import { restIfPaused } from '../../rest/pause-lane.ts'
import { moveRun } from '../../run/move-run.ts'
import { interviewLane } from '../plan-spec.ts'
import { answersText, noRoundsLeft, roundsLeft } from '../prompts/interview.ts'

const most = limits.interview.rounds

/** Posts a message for each question of the round; the lane waits until all are answered. */
export async function askRound(
  tx: Transaction,
  { run: id, lane, questions }: Acts['ask_user'],
  deps: Pick<WorkflowDependencies, 'clock'>,
): Promise<void> {
  const run = await load(tx, 'run', id)
  const { rounds } = run.data.interview
  if (rounds >= most) return answerLane(tx, deps.clock, { lane, output: noRoundsLeft(rounds), ok: false })
  const asked: AskedQuestion[] = []
  for (const given of questions) {
    const question = { ...given, question: oneParagraph(given.question), why: oneParagraph(given.why) }
    asked.push({ ...question, message: await post(tx, id, question), answer: null })
  }
  await moveRun(tx, run, { event: 'escalated', data: { interview: { rounds: rounds + 1, asked } }, next: 'rest' })
  // A reader who learns of the stories must find them in the Run.
  for (const { message, question, why, options, recommended } of asked) {
    const evidence = restsOn({ why, options, recommended })
    const data = { id: message, question, evidence, options, recommended }
    await tx.appendEvent({ run: id, story: null, type: 'escalation', data })
  }
  await restIfPaused(tx, deps, id)
}

interface UserAnswer {
  /** Id of the question's message. */
  readonly message: string
  /** The answer in words: the number of an option would have lost its meaning here. */
  readonly text: string
}

/**
 * Stores the answer if the message is an open question of the interview, and then returns true; the
 * lane continues after the last answer.
 */
export async function answerQuestion(
  tx: Transaction,
  { clock }: Pick<WorkflowDependencies, 'clock'>,
  run: Run,
  { message, text }: UserAnswer,
): Promise<boolean> {
  const { rounds, asked: before } = run.data.interview
  const isMeant = (question: AskedQuestion) => question.message === message && question.answer === null
  if (!before.some(isMeant)) return false
  const asked = before.map((each) => (isMeant(each) ? { ...each, answer: text } : each))
  const interview = { rounds, asked }
  if (asked.some(({ answer }) => answer === null)) {
    await tx.edit(run, { interview })
    return true
  }
  await moveRun(tx, run, { event: 'guided', data: { interview }, next: 'rest' })
  const lane = await load(tx, 'lane', laneId(run.id, interviewLane))
  await tx.edit(lane, { iterations: 0 })
  const told = { output: roundsLeft(most - rounds), guidance: answersText(asked), ok: true }
  await answerLane(tx, clock, { lane: lane.id, ...told })
  return true
}

async function post(tx: Transaction, run: string, question: Question): Promise<string> {
  const { id } = await tx.postMessage({
    agent_id: 'architect',
    content: `${question.question}\n\n${restsOn(question)}`,
    reply_to: null,
    post_type: 'escalate',
    run,
    story: null,
    asker: { kind: 'run', machine: run },
  })
  return id
}

function restsOn(question: Pick<Question, 'why' | 'options' | 'recommended'>): string {
  return [question.why, optionLines(question).join('\n')].filter(Boolean).join('\n\n')
}

/** The first paragraph of a message holds its question. */
function oneParagraph(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
