import { markOf } from '../../agents/call-progress.ts'
import { normalisedOutput } from '../../domain/lane/normalised-output.ts'
import type { Story } from '../../domain/story/story.ts'
import type { VerifierResponse } from '../../domain/verification/verdict.ts'

/**
 * What an answer shows of an editor's progress: each finding that is settled by now, and either
 * marks of its own or its words.
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

/** The set of tests that fail; a step without results of tests shows none. */
export function verdictMarks({ status, manifest }: VerifierResponse): readonly string[] {
  const failing = manifest?.failing ?? (status === 'PASS' ? [] : null)
  return failing === null ? [] : [`failing:${markOf(failing.toSorted())}`]
}
