import type { Run } from './run.ts'
import { titleOfSpec } from './spec.ts'
import { subjectOf } from './subject.ts'

/** The subject of a Run, for people. */
export function titleOf({ data: { request } }: Run): string {
  switch (request.kind) {
    case 'task':
      return subjectOf(request.task.text)
    case 'verify':
      return `verify ${request.commit?.slice(0, 12) ?? 'the working tree'}`
    case 'scout':
      return `scout ${request.scout}: ${request.question}`
    case 'spec':
      return `${request.planOnly ? 'plan: ' : ''}${titleOfSpec(request.spec)}`
    case 'interview':
      return `spec: ${titleOfSpec(request.spec)}`
    default:
      throw new Error(`unknown request ${request satisfies never}`)
  }
}
