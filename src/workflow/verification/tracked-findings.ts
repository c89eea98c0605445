import type { TrackedFinding } from '../../domain/gate/finding.ts'
import { trackGate } from '../../domain/gate/gate-finding.ts'
import { settledByChange } from '../../domain/remark/remark-findings.ts'
import type { Run } from '../../domain/run/run.ts'
import type { StoryData } from '../../domain/story/story.ts'
import type { VerifierResponse } from '../../domain/verification/verdict.ts'

/** The findings against a change after its green verification. */
export function trackedFindings(
  { data: { policy, request } }: Run,
  { reviews, requests }: Pick<StoryData, 'reviews' | 'requests'>,
  { manifest }: VerifierResponse,
): readonly TrackedFinding[] {
  const { findings } = reviews.code
  return trackGate(policy.reviewer !== null ? findings : settledByChange(findings), {
    found: manifest?.integrity?.findings ?? [],
    accepted: request.kind === 'task' ? (request.accept ?? []) : [],
    round: requests.code + 1,
  })
}
