import type { Machine } from './machine.ts'
import type { Amount, Cap } from './run/budget.ts'
import type { PauseSignal } from './run/pause-cause.ts'

/**
 * The reason why a machine stands still. A question to a human is a state of its own
 * (`escalation`): it stays open during any rest, and can be answered then.
 */
interface Rest {
  /** ISO 8601; null when an older Drydock began it. */
  readonly since: string | null
}

/** A Run rests: the next steps of `machines` wait until somebody lets it continue. */
export interface RunRest extends Rest {
  /**
   * user: a human has paused it. error: a step failed; the machines of a task also wait for its
   * slot. budget: a bound is reached, so nothing of the Run continues.
   */
  readonly because: 'user' | 'error' | 'budget'
  readonly machines: readonly string[]
  /** Set for a pause that no person asked for. */
  readonly signal?: PauseSignal
  /** The person who asked for the pause; missing where an older Drydock paused it. */
  readonly person?: string
  /** The rest of a task that waits for its slot, when a human also pauses it. */
  readonly under?: RunRest
}

/** All machines that wait until a Run continues. */
export function restedMachines(rest: RunRest | null): readonly string[] {
  return rest === null ? [] : [...restedMachines(rest.under ?? null), ...rest.machines]
}

/**
 * The rest of a lane: it has no next step until its budget is raised, or until its provider's time.
 */
export type LaneRest = BudgetRest | ProviderRest

export interface BudgetRest extends Rest {
  readonly because: 'budget'
  /** The bound that blocks the next call. */
  readonly cap: Cap
  /** The most that the call may cost; null when an older Drydock did not store it. */
  readonly wanted: Amount | null
}

export interface ProviderRest extends Rest {
  readonly because: 'provider'
  readonly reason: string
  /** ISO 8601; time of the next request. */
  readonly until: string
}

/** Converts the separate fields of an older Drydock into one rest. */
export function withRest(machine: Machine): Machine {
  const { kind, state, data } = machine
  if (typeof data !== 'object' || data === null) return machine
  if (kind === 'run' && ('held' in data || 'parked' in data)) {
    const { held, parked, ...more } = data as OldRun
    return { ...machine, data: { ...more, rest: runRest(state, held ?? null, parked ?? []) } }
  }
  if (kind === 'lane' && ('suspended' in data || 'shortOf' in data)) {
    const { suspended, shortOf, wanted, ...more } = data as OldLane
    return { ...machine, data: { ...more, rest: laneRest({ suspended, shortOf, wanted }) } }
  }
  return machine
}

interface OldRun {
  readonly held?: readonly string[] | null
  readonly parked?: readonly string[]
}

interface OldSuspension extends Pick<ProviderRest, 'reason' | 'until'> {
  readonly since?: string
}

interface OldLane {
  readonly suspended?: OldSuspension | null | undefined
  readonly shortOf?: Cap | null | undefined
  readonly wanted?: Amount | null | undefined
}

function runRest(state: string, held: readonly string[] | null, parked: readonly string[]): RunRest | null {
  const error = { because: 'error', since: null, machines: parked } as const
  if (held !== null) {
    return { because: 'user', since: null, machines: held, ...(parked.length > 0 && { under: error }) }
  }
  if (parked.length > 0 || state === 'ERROR') return error
  return state === 'PAUSED' ? { because: 'budget', since: null, machines: [] } : null
}

function laneRest({ suspended, shortOf, wanted = null }: OldLane): LaneRest | null {
  if (shortOf) return { because: 'budget', since: null, cap: shortOf, wanted }
  if (!suspended) return null
  const { reason, until, since = null } = suspended
  return { because: 'provider', since, reason, until }
}
