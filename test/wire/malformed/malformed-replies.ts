import { malformedAnswers } from './answers.ts'
import { malformedArguments } from './arguments.ts'
import { malformedEndings } from './endings.ts'
import type { Malformed } from './malformed-reply.ts'
import { malformedNames } from './names.ts'
import { malformedTexts } from './texts.ts'

/** The replies that models were seen to give, or could, when they get something wrong. */
export const malformedReplies: readonly Malformed[] = [
  ...malformedArguments,
  ...malformedNames,
  ...malformedTexts,
  ...malformedEndings,
  ...malformedAnswers,
]
