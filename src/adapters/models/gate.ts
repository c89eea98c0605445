import { limits } from '../../domain/limits.ts'
import type { Clock } from '../../ports/clock.ts'
import { afterAnswer, afterFailure, type Breaker, closedBreaker, type Patience } from './breaker.ts'
import { createRates } from './rates.ts'

/** What every request to one provider passes, whichever lane it is of. */
export interface Gate {
  /**
   * Waits for its turn: a pass for one request, or at once that nothing may be sent for so long. A
   * wait that is aborted ends with a pass, too: whoever holds it sends nothing.
   */
  enter(signal: AbortSignal): Promise<Pass | Closed>
}

export interface Pass {
  readonly type: 'pass'
  /** Takes in what the headers of the answer tell about limits. */
  learn(headers: Headers): void
  /** Has to be called once. Says what is closed now, if the provider answers nobody. */
  leave(outcome: CallOutcome): Closed | null
}

export interface Closed {
  readonly type: 'closed'
  readonly reason: string
  readonly ms: number
}

export type CallOutcome =
  | { readonly type: 'answered'; readonly tokens: number }
  /** For a reason that can pass. `crowded`: it was asked for too much. */
  | {
      readonly type: 'failed'
      readonly reason: string
      readonly retryAfterMs: number | null
      readonly crowded: boolean
    }
  /** Says nothing about the provider: nothing was sent, or the caller gave up. */
  | { readonly type: 'nothing' }

/** The gates of a process: models of one provider share one. */
export interface Gates {
  of(endpoint: { readonly provider: string; readonly baseURL: string }): Gate
}

const systemClock: Clock = { now: () => new Date(), random: Math.random }

export function createGates(clock: Clock = systemClock, patience: Patience = limits.provider): Gates {
  const gates = new Map<string, Gate>()
  return {
    of({ provider, baseURL }) {
      const key = `${provider} ${baseURL}`
      const gate = gates.get(key) ?? createGate(provider, clock, patience)
      gates.set(key, gate)
      return gate
    },
  }
}

/**
 * Lets requests through side by side: fewer after the provider was crowded, one more after each
 * answer, and one alone while the breaker is open. What the provider asks to wait holds for all of
 * them; a short wait is waited for here, a longer one is told.
 */
function createGate(provider: string, clock: Clock, patience: Patience): Gate {
  const rates = createRates()
  const waiting = new Set<() => void>()
  let breaker: Breaker = closedBreaker
  let probing = false
  let active = 0
  let width: number = limits.provider.calls
  let narrowings = 0

  const now = () => clock.now().getTime()
  const closed = (reason: string, ms: number): Closed => ({ type: 'closed', reason, ms: Math.ceil(ms) })

  /** How long nothing is sent, and why. */
  function closure(): Closed {
    const paused = breaker.until - now()
    if (paused > 0) return closed(breaker.reason, paused)
    const { ms, unit } = rates.wait(now())
    return closed(`${provider}: the limit of ${unit} a minute is reached`, ms)
  }

  function pass(): Pass {
    const probe = breaker.open
    const narrowed = narrowings
    active += 1
    probing ||= probe
    rates.take(now())

    function settle(outcome: CallOutcome): void {
      if (outcome.type === 'answered') {
        rates.spent(outcome.tokens)
        breaker = afterAnswer(breaker, { probe })
        if (!breaker.open) width = Math.min(limits.provider.calls, width + 1)
      } else if (outcome.type === 'failed') {
        breaker = afterFailure(breaker, { ...outcome, probe }, { now: now(), random: clock.random(), patience })
        // Those that were under way together are told the same: they count once.
        if (outcome.crowded && narrowed === narrowings) {
          width = Math.max(1, Math.floor(Math.min(width, active) / 2))
          narrowings += 1
        }
        if (breaker.open) width = 1
      }
    }

    return {
      type: 'pass',
      learn: (headers) => rates.learn(headers, now()),
      leave(outcome) {
        settle(outcome)
        active -= 1
        if (probe) probing = false
        for (const wake of [...waiting]) wake()
        return breaker.open ? closed(breaker.reason, Math.max(0, breaker.until - now())) : null
      },
    }
  }

  return {
    async enter(signal) {
      for (;;) {
        if (signal.aborted) return noPass
        const until = closure()
        if (until.ms > (breaker.open ? 0 : limits.quietWaitMs)) return until
        if (until.ms <= 0 && (breaker.open ? !probing : active < width)) return pass()
        await change(waiting, until.ms, signal)
      }
    },
  }
}

const noPass: Pass = { type: 'pass', learn() {}, leave: () => null }

/** Until a pass has been given back, the time is over, or the signal is aborted. */
function change(waiting: Set<() => void>, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = ms > 0 ? setTimeout(wake, ms) : undefined
    function wake(): void {
      clearTimeout(timer)
      waiting.delete(wake)
      signal.removeEventListener('abort', wake)
      resolve()
    }
    waiting.add(wake)
    signal.addEventListener('abort', wake, { once: true })
  })
}
