import { formatDuration } from '../../../src/domain/figures-text.ts'
import { Pill } from '../../parts/pill.tsx'
import { Time } from '../../parts/time.tsx'

interface Props {
  readonly title: string
  readonly status: string
  readonly runId: string
  readonly finishedAt: string
  readonly durationMs: number
  readonly current: boolean
  readonly choose: () => void
}

export function VerificationRow({ title, status, runId, finishedAt, durationMs, current, choose }: Props) {
  return (
    <button type="button" className="pick" aria-pressed={current} onClick={choose} data-item>
      <span className="row">
        <Pill state={status} />
        <strong>{title}</strong>
      </span>
      <span className="sub mono">{runId}</span>
      <span className="sub">
        {formatDuration(durationMs)} · <Time at={finishedAt} />
      </span>
    </button>
  )
}
