import type { MachineKind } from '../domain/machine.ts'

/**
 * The role of a process on a state: alone; as its hub, alongside workers; or as a worker. Only the
 * first two do the state's own work.
 */
export interface Share {
  readonly as: 'alone' | 'hub' | 'worker'
  /** True if it takes the work of stories. A hub without coders leaves that to its workers. */
  readonly takesStories: boolean
  /** True if this process stays and retries Runs that the infrastructure has stopped. */
  readonly retries?: boolean
  /** For a worker: resolves when its hub answers. Rejects when the signal is aborted. */
  readonly untilReached?: (signal: AbortSignal) => Promise<void>
}

export const alone: Share = { as: 'alone', takesStories: true }

/**
 * True if other processes use the state at the same time, so that data in this process's memory may
 * be outdated.
 */
export function isShared({ as }: Share): boolean {
  return as !== 'alone'
}

/** True if the process does the state's own work. */
export function keepsState({ as }: Share): boolean {
  return as !== 'worker'
}

/** The kinds of steps that the process takes. */
export function kindsOf(share: Share): ReadonlySet<MachineKind> {
  const ofState = ['run', 'merge', 'verification', 'acceptance', 'schedule', 'landing', 'notification'] as const
  const ofStories = ['story', 'lane', 'scout_query', 'verification', 'acceptance'] as const
  return new Set([...(keepsState(share) ? ofState : []), ...(share.takesStories ? ofStories : [])])
}
