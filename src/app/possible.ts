import { isUnresolved } from '../domain/run/retention.ts'
import { isEnded, isHeld, isPausable, type Run } from '../domain/run/run.ts'
import { canGoOn } from '../domain/story/can-go-on.ts'
import { nameOf } from '../domain/story/name-of.ts'
import type { Story } from '../domain/story/story.ts'
import { storyTable } from '../domain/story/story-machine.ts'
import { editableIn } from '../workflow/architect/edit-plan.ts'

/** The commands that a Run accepts in its present state. */
export interface Possible {
  readonly cancel: boolean
  readonly pause: boolean
  readonly resume: boolean
  /** Of a task; the stories of a crew are retried one by one. */
  readonly retry: boolean
  readonly budget: boolean
  readonly post: boolean
  /** Its stories, as far as they have not begun. */
  readonly edit: boolean
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
    edit: editableIn(run) !== null,
  }
}

/** Whether a resume continues the Run itself, or stories of it that the infrastructure ended. */
export function canResume(run: Run, stories: readonly Story[]): boolean {
  return (
    possibleWith(run).resume ||
    (!isEnded(run.state) && stories.some((story) => nameOf(story) !== null && canGoOn(story)))
  )
}

type Asking = Story & { readonly data: { readonly escalation: string } }

/** A story that ended without DONE, and waits for a person to say how it goes on. */
export function waitsForRetry(story: Story): story is Asking {
  return story.data.escalation !== null && 'retried' in storyTable[story.state] && story.state !== 'CANCELLED'
}

/** A cancelled story of a Run that works, or of one that was cancelled as a whole. */
export function canReopen(run: Run): boolean {
  return run.state !== 'ERROR' && run.state !== 'PAUSED' && run.data.stopped === (run.state === 'CANCELLED')
}

export function canRetry(run: Run, story: Story): boolean {
  if (nameOf(story) === null) return possibleWith(run).retry
  return story.state === 'CANCELLED' ? canReopen(run) : waitsForRetry(story)
}
