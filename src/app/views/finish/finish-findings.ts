import type { Finish } from '../../../api/finish.ts'
import type { TrackedFinding } from '../../../domain/gate/finding.ts'
import type { Story } from '../../../domain/story/story.ts'
import type { Built } from '../../commands/land/landable.ts'

type FinishFinding = Finish['findings'][number]

/** What holds the result first, then what somebody took as it is. */
export function finishFindings({ run, stories, holds }: Built): FinishFinding[] {
  const held = holds.flatMap((hold) =>
    hold.kind === 'finding' ? [told(hold.story, hold.finding, hold.run.data.policy.stories === 'named')] : [],
  )
  const accepted = findingsIn(stories).flatMap(([story, finding]) =>
    finding.state === 'accepted' ? [told(story, finding, run.data.policy.stories === 'named')] : [],
  )
  return [...held, ...accepted]
}

function findingsIn(stories: readonly Story[]): readonly (readonly [Story, TrackedFinding])[] {
  return stories.flatMap((story) => story.data.reviews.code.findings.map((finding) => [story, finding] as const))
}

function told({ run, story }: Story, finding: TrackedFinding, isCrew: boolean): FinishFinding {
  const { id, severity, by = 'reviewer', file, line = null, claim, evidence, state, acceptedBy } = finding
  const byWhom = acceptedBy ?? (isCrew ? 'architect' : 'human')
  return {
    ...{ id, run, story: isCrew ? story : null, severity, by, file, line, claim, evidence },
    state: state === 'open' ? 'open' : 'accepted',
    accepted_by: state === 'accepted' ? byWhom : null,
  }
}
