import type { DrydockEvent } from './run-drydock.ts'

/** The sums over a run's events. */
export interface EventTally {
  /** The data of the last `result`. */
  result: RunResult | null
  questions: number
  returns: number
  /** `run_id` of the last verification. */
  verified: string | null
  /** True if acceptance tests have run. */
  acceptanceRan: boolean
  /** Stories whose last verification failed their acceptance tests. */
  readonly unmet: Set<unknown>
  /** Stories for which a person has accepted a change that fails them. */
  readonly allowed: Set<unknown>
  tokens: number
  /** Null if the price of a call is unknown. */
  costUsd: number | null
}

/** The fields of a `result` that are read here. */
export interface RunResult {
  readonly branch: string | null
  readonly tokens: number
  readonly cost_usd: number | null
  readonly outcome?: { readonly code: string }
  readonly error?: { readonly message: string }
}

export function emptyTally(): EventTally {
  return {
    result: null,
    questions: 0,
    returns: 0,
    verified: null,
    tokens: 0,
    costUsd: 0,
    acceptanceRan: false,
    unmet: new Set(),
    allowed: new Set(),
  }
}

/**
 * True if acceptance tests held the result of a run; null if none has run. A change that an editor
 * made after a person's decision counts as another one.
 */
export function heldByAcceptance({ acceptanceRan, unmet, allowed }: EventTally): boolean | null {
  return acceptanceRan ? unmet.size + allowed.size > 0 : null
}

export function tallyEvent(tally: EventTally, event: DrydockEvent): void {
  switch (event.type) {
    case 'result':
      tally.result = event as unknown as RunResult
      break
    case 'escalation':
      tally.questions += 1
      break
    case 'verification':
      tally.verified = String(event.run_id)
      tallyAcceptance(tally, event)
      break
    case 'state':
      if (event.event === 'allowed' && tally.unmet.has(event.story)) tally.allowed.add(event.story)
      if (event.to === 'DONE') tally.unmet.delete(event.story)
      break
    case 'merge':
      if (event.state === 'RETURNED') tally.returns += 1
      break
    case 'model_call':
      tally.tokens += Number(event.tokens ?? 0)
      if (typeof event.cost_usd === 'number' && tally.costUsd !== null) tally.costUsd += event.cost_usd
      else if (event.cost_usd === null && event.tokens !== null) tally.costUsd = null
      break
    default:
  }
}

function tallyAcceptance(tally: EventTally, { story, acceptance }: DrydockEvent): void {
  if (acceptance === 'met' || acceptance === 'not_met') tally.acceptanceRan = true
  if (acceptance === 'met') tally.allowed.delete(story)
  if (acceptance === 'not_met') tally.unmet.add(story)
  else tally.unmet.delete(story)
}
