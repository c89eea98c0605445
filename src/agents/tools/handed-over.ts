import { submitAcceptanceTests } from './acceptance/submit-acceptance-tests.ts'
import { submitJudgement } from './acceptance/submit-judgement.ts'
import { submitQuotes } from './acceptance/submit-quotes.ts'
import { askArchitect } from './ask-architect.ts'
import { askScout } from './ask-scout.ts'
import { askUser } from './ask-user.ts'
import { noChange } from './no-change.ts'
import { postMessage } from './post-message.ts'
import { submitChange } from './submit-change.ts'
import { submitPlan } from './submit-plan.ts'
import { submitReply, submitReview } from './submit-reply.ts'
import { submitBuildReport, submitCodebaseReport } from './submit-report.ts'
import { submitSpec } from './submit-spec.ts'
import { submitStories, submitStoriesOfSeveral } from './submit-stories.ts'
import { tooVague } from './too-vague.ts'
import type { AnsweredLater } from './tool.ts'

/** Every tool whose calls the workflow answers. */
export const answeredLater = [
  askScout,
  askArchitect,
  askUser,
  postMessage,
  submitPlan,
  submitChange,
  noChange,
  submitCodebaseReport,
  submitBuildReport,
  submitReply,
  submitReview,
  submitStories,
  submitStoriesOfSeveral,
  tooVague,
  submitSpec,
  submitAcceptanceTests,
  submitQuotes,
  submitJudgement,
]

type CallOf<Of> =
  Of extends AnsweredLater<infer Input, infer Name> ? { readonly tool: Name; readonly input: Input } : never

/** A call of one of these tools, with the input that its schema parsed. */
export type HandedOver = CallOf<(typeof answeredLater)[number]>

/** The input type of one of these tools. */
export type InputOf<Name extends HandedOver['tool']> = Extract<HandedOver, { readonly tool: Name }>['input']

/** `input` must come from the tool's own schema, since that is what ties it to the name. */
export function handedOver(tool: AnsweredLater, input: unknown): HandedOver {
  return { tool: tool.name, input } as HandedOver
}
