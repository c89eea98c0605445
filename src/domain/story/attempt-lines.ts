import type { Attempt } from './story.ts'

/**
 * The verifications of a story as a numbered list: the result, the hypothesis, and the place of the
 * details.
 */
export function attemptLines(attempts: readonly Attempt[]): string {
  if (attempts.length === 0) return 'None.'
  return attempts
    .map(({ runId, status, sha, why, hypothesis }, i) =>
      [
        `${i + 1}. ${runId}: ${status} at ${sha.slice(0, 12)} (artifacts/runs/${runId}; \`drydock log ${runId}\`)`,
        why && `   - ${why}`,
        hypothesis && `   - hypothesis: ${hypothesis}`,
      ]
        .filter(Boolean)
        .join('\n'),
    )
    .join('\n')
}
