import type { MachineKind } from '../domain/machine.ts'

/**
 * How a process works on a state: alone; as its hub, beside workers; or as one of the workers. What
 * belongs to the state itself is done alone or by the hub.
 */
export interface Share {
  readonly as: 'alone' | 'hub' | 'worker'
  /** Whether it takes the work of stories. A hub without coders leaves that to its workers. */
  readonly takesStories: boolean
  /** Whether somebody stays at work who tries again what the infrastructure has stopped. */
  readonly retries?: boolean
  /** Of a worker: fulfilled when its hub answers. Rejects when the signal is aborted. */
  readonly untilReached?: (signal: AbortSignal) => Promise<void>
}

export const alone: Share = { as: 'alone', takesStories: true }

/** Others work on the state at the same time: what only this process remembers may be outdated. */
export function isShared({ as }: Share): boolean {
  return as !== 'alone'
}

/** Whether the process does what belongs to the state itself. */
export function keepsState({ as }: Share): boolean {
  return as !== 'worker'
}

/** The kinds of steps that the process takes. */
export function kindsOf(share: Share): ReadonlySet<MachineKind> {
  const ofState = ['run', 'merge', 'verification', 'acceptance', 'schedule', 'landing', 'notification'] as const
  const ofStories = ['story', 'lane', 'scout_query', 'verification', 'acceptance'] as const
  return new Set([...(keepsState(share) ? ofState : []), ...(share.takesStories ? ofStories : [])])
}
