import type { Finish } from '../../../api/finish.ts'
import type { TrackedFinding } from '../../../domain/gate/finding.ts'
import type { Run } from '../../../domain/run/run.ts'
import { nameOf } from '../../../domain/story/name-of.ts'
import type { Story } from '../../../domain/story/story.ts'
import type { Records } from '../../../ports/store.ts'
import type { Built } from '../../commands/land/landable.ts'

type FinishFinding = Finish['findings'][number]

/**
 * Comments that somebody accepted after the Run had ended. The follow-ups that worked on them keep
 * who and why.
 */
export async function readAcceptedComments(records: Records, run: Run): Promise<readonly FinishFinding[]> {
  const remarks = await records.machines({ kind: 'remark', run: run.id, states: ['ACCEPTED'] })
  const found = await Promise.all(
    remarks.map(async ({ data }) => {
      if (data.followUp === null) return []
      const worker = await records.machineOf('run', data.followUp)
      const stories = worker === null ? [] : await records.machines({ kind: 'story', run: worker.id })
      const taken = findingsIn(stories).find(([, { id, state }]) => id === data.finding && state === 'accepted')
      return worker === null || taken === undefined ? [] : [told(worker, ...taken)]
    }),
  )
  return found.flat()
}

/** Findings that still hold the result, followed by accepted ones. */
export function finishFindings({ run, stories, holds }: Built, comments: readonly FinishFinding[]): FinishFinding[] {
  const held = holds.flatMap((hold) => (hold.kind === 'finding' ? [told(hold.run, hold.story, hold.finding)] : []))
  const accepted = findingsIn(stories).flatMap(([story, finding]) =>
    finding.state === 'accepted' ? [told(run, story, finding)] : [],
  )
  return [...held, ...accepted, ...comments]
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
    accepter: (state === 'accepted' && finding.accepter) || null,
    reason: (state === 'accepted' && finding.reason) || null,
  }
}
