import { malformedAnswers } from './answers.ts'
import { malformedArguments } from './arguments.ts'
import { malformedEndings } from './endings.ts'
import type { MalformedReply } from './malformed-reply.ts'
import { malformedNames } from './names.ts'
import { malformedTexts } from './texts.ts'

/** Malformed replies that models have given, or could give. */
export const malformedReplies: readonly MalformedReply[] = [
  ...malformedArguments,
  ...malformedNames,
  ...malformedTexts,
  ...malformedEndings,
  ...malformedAnswers,
]
