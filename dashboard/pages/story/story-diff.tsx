import { useMemo } from 'react'
import type { StoryDetail } from '../../../src/api/stories.ts'
import type { Version } from '../../parts/review/compare.tsx'
import { ReviewPanel } from '../../parts/review/review-panel.tsx'
import { stateLabel } from '../../state-family.ts'

interface Props {
  readonly run: string
  readonly detail: StoryDetail
  readonly focus: string | null
}

export function StoryDiff({ run, detail, focus }: Props) {
  const { reviews } = detail
  const findings = useMemo(
    () => reviews.filter(({ kind }) => kind !== 'plan').flatMap((review) => review.findings),
    [reviews],
  )
  return (
    <ReviewPanel
      key={`${run}/${detail.id}`}
      run={run}
      story={detail.id}
      version={detail.sha}
      versions={attemptsOf(detail)}
      findings={findings}
      focus={focus}
      empty="The diff appears as soon as the editor has written."
    />
  )
}

/** Each verified commit, with its attempt. */
function attemptsOf({ runs }: StoryDetail): readonly Version[] {
  const changes = runs.filter((run) => run.of === 'change')
  const last = changes.filter(({ sha }, i) => changes[i + 1]?.sha !== sha)
  return last.map(({ sha, status }, i) => ({ sha, title: `attempt ${i + 1}: ${stateLabel(status)}` }))
}
