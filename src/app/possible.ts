import { isUnresolved } from '../domain/run/retention.ts'
import { isEnded, isHeld, isPausable, type Run } from '../domain/run/run.ts'

/** The commands that a Run accepts in its present state. */
export interface Possible {
  readonly cancel: boolean
  readonly pause: boolean
  readonly resume: boolean
  /** Of a task; the stories of a crew are retried one by one. */
  readonly retry: boolean
  readonly budget: boolean
  readonly post: boolean
}

const retried: readonly Run['state'][] = ['STUCK', 'INFRA_ERROR', 'NO_CHANGE', 'CANCELLED']

export function possibleWith(run: Run): Possible {
  const { state, data } = run
  const ended = isEnded(state)
  return {
    cancel: !ended || isUnresolved(run),
    pause: isPausable(run),
    resume: state === 'ERROR' || state === 'PAUSED' || (isHeld(run) && !ended),
    retry: data.request.kind === 'task' && retried.includes(state),
    budget: !ended && data.budget !== null,
    post: !ended,
  }
}
