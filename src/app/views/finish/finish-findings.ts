import type { Finish } from '../../../api/finish.ts'
import type { TrackedFinding } from '../../../domain/gate/finding.ts'
import type { Run } from '../../../domain/run/run.ts'
import { nameOf } from '../../../domain/story/name-of.ts'
import type { Story } from '../../../domain/story/story.ts'
import type { Built } from '../../commands/land/landable.ts'

type FinishFinding = Finish['findings'][number]

/** Findings that still hold the result, followed by accepted ones. */
export function finishFindings({ run, stories, holds }: Built): FinishFinding[] {
  const held = holds.flatMap((hold) => (hold.kind === 'finding' ? [told(hold.run, hold.story, hold.finding)] : []))
  const accepted = findingsIn(stories).flatMap(([story, finding]) =>
    finding.state === 'accepted' ? [told(run, story, finding)] : [],
  )
  return [...held, ...accepted]
}

function findingsIn(stories: readonly Story[]): readonly (readonly [Story, TrackedFinding])[] {
  return stories.flatMap((story) => story.data.reviews.code.findings.map((finding) => [story, finding] as const))
}

function told({ id: run, data: { policy } }: Run, story: Story, finding: TrackedFinding): FinishFinding {
  const { id, severity, by = 'reviewer', file, line = null, claim, evidence, state, acceptedBy } = finding
  const byWhom = acceptedBy ?? policy.reviewer ?? 'human'
  return {
    id,
    run,
    story: nameOf(story),
    severity,
    by,
    file,
    line,
    claim,
    evidence,
    state: state === 'open' ? 'open' : 'accepted',
    accepted_by: state === 'accepted' ? byWhom : null,
  }
}
