import { markOf } from '../../agents/call-progress.ts'
import { normalisedOutput } from '../../domain/lane/normalised-output.ts'
import type { Story } from '../../domain/story/story.ts'
import type { VerifierResponse } from '../../domain/verification/verdict.ts'

/**
 * The progress that an answer shows: the findings settled by now, and either its own marks or its
 * words.
 */
export function answerMarks(
  { data }: Story,
  { marks, output }: { readonly marks?: readonly string[]; readonly output: string },
): readonly string[] {
  const settled = Object.entries(data.reviews).flatMap(([kind, { findings }]) =>
    findings.flatMap(({ id, state }) => (state === 'open' ? [] : [`finding:${kind}:${id}`])),
  )
  return [...settled, ...(marks ?? [`said:${markOf(normalisedOutput(output))}`])]
}

/** The set of failing tests; null for a step without test results. */
export function verdictMarks({ status, manifest }: VerifierResponse): readonly string[] {
  const failing = manifest?.failing ?? (status === 'PASS' ? [] : null)
  return failing === null ? [] : [`failing:${markOf(failing.toSorted())}`]
}
