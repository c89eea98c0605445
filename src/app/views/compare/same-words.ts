import { isDeepStrictEqual } from 'node:util'
import type { RunRequest } from '../../../domain/run/run.ts'

/** Whether two requests say the same: all of their words, and not their titles alone. */
export function saysTheSame(one: RunRequest, other: RunRequest): boolean {
  return isDeepStrictEqual(wordsOf(one), wordsOf(other))
}

function wordsOf(request: RunRequest): object {
  const { kind } = request
  switch (kind) {
    case 'task':
      return { kind, task: request.task }
    case 'verify':
      return { kind, commit: request.commit }
    case 'scout':
      return { kind, scout: request.scout, question: request.question }
    case 'spec':
      return { kind, text: request.spec.text, planOnly: request.planOnly }
    case 'interview':
      return { kind, text: request.spec.text }
    default:
      throw new Error(`unknown request ${kind satisfies never}`)
  }
}
