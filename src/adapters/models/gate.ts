import { setTimeout } from 'node:timers/promises'
import { limits } from '../../domain/limits.ts'
import type { Answer } from '../../http/transport.ts'
import { actAfter } from '../../ports/act-after.ts'
import type { Clock } from '../../ports/clock.ts'
import { afterAnswer, afterFailure, type Breaker, closedBreaker, type Patience } from './breaker.ts'
import { createLine } from './line.ts'
import { createRates } from './rates.ts'

/** The queue that all requests to one provider pass through, whichever lane they belong to. */
export interface Gate {
  /**
   * Waits for the Run's turn. Returns a pass for one request, or immediately that the provider is
   * closed for some time. An aborted wait also returns a pass; its holder must not send anything.
   */
  enter(run: string, signal: AbortSignal): Promise<Pass | Closure>
}

export interface Pass {
  readonly type: 'pass'
  /** Reads the rate limits in the headers of an answer. */
  learn(headers: Answer['headers']): void
  /**
   * Must be called once. If the provider is closed now, returns the reason and the remaining time.
   */
  leave(outcome: CallOutcome): Closure | null
}

export interface Closure {
  readonly type: 'closed'
  readonly reason: string
  readonly ms: number
}

export type CallOutcome =
  | { readonly type: 'answered'; readonly tokens: number }
  /** The call failed for a temporary reason. `crowded`: the provider had too many requests. */
  | {
      readonly type: 'failed'
      readonly reason: string
      readonly retryAfterMs: number | null
      readonly crowded: boolean
    }
  /** Says nothing about the provider: no request was sent, or the caller gave up. */
  | { readonly type: 'nothing' }

/** The gates of a process; models of one provider share one gate. */
export interface Gates {
  of(endpoint: { readonly provider: string; readonly baseURL: string }): Gate
}

type Time = Pick<Clock, 'now' | 'random' | 'sleep'>

const processTime: Time = {
  now: () => new Date(),
  random: Math.random,
  sleep: (ms, { signal } = {}) => setTimeout(ms, undefined, signal && { signal }),
}

export function createGates(clock: Time = processTime, patience: Patience = limits.provider): Gates {
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
 * Limits concurrent requests: fewer after the provider was crowded, one more after each answer, and
 * a single one while the breaker is open. A delay that the provider asks for applies to all
 * requests; a short one is waited for here, a longer one is returned. Runs take turns, so that one
 * with many lanes does not block the others.
 */
function createGate(provider: string, clock: Time, patience: Patience): Gate {
  const rates = createRates()
  const line = createLine<Waiting>()
  let cancelAdmit = () => {}
  let breaker: Breaker = closedBreaker
  let probing = false
  let active = 0
  let width: number = limits.provider.calls
  let narrowings = 0

  const now = () => clock.now().getTime()
  const closed = (reason: string, ms: number): Closure => ({ type: 'closed', reason, ms: Math.ceil(ms) })

  /** The time during which no request is sent, and the reason. */
  function closure(): Closure {
    const paused = breaker.until - now()
    if (paused > 0) return closed(breaker.reason, paused)
    const { ms, unit } = rates.wait(now())
    return closed(`${provider}: the limit of ${unit} a minute is reached`, ms)
  }

  function pass(run: string): Pass {
    const probe = breaker.open
    const narrowed = narrowings
    active += 1
    line.give(run)
    probing ||= probe
    rates.take(now())

    function settle(outcome: CallOutcome): void {
      if (outcome.type === 'answered') {
        rates.spent(outcome.tokens)
        breaker = afterAnswer(breaker, { probe })
        if (!breaker.open) width = Math.min(limits.provider.calls, width + 1)
      } else if (outcome.type === 'failed') {
        breaker = afterFailure(breaker, { ...outcome, probe }, { now: now(), random: clock.random(), patience })
        // Requests that ran at the same time fail for the same reason, so they narrow the gate
        // once.
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
        line.takeBack(run)
        if (probe) probing = false
        admit()
        return breaker.open ? closed(breaker.reason, Math.max(0, breaker.until - now())) : null
      },
    }
  }

  /** Assigns free places. Called whenever there may be one. */
  function admit(): void {
    cancelAdmit()
    while (!line.isEmpty()) {
      const until = closure()
      if (until.ms > (breaker.open ? 0 : limits.quietWaitMs)) tellAll(until)
      else if (until.ms > 0) cancelAdmit = actAfter(clock, until, admit)
      if (until.ms > 0 || !(breaker.open ? !probing : active < width)) return
      const next = line.next()
      if (next === undefined) return
      line.leave(next)
      next.end(pass(next.run))
    }
  }

  function tellAll(until: Closure): void {
    for (const waiting of line.all()) {
      line.leave(waiting)
      waiting.end(until)
    }
  }

  return {
    enter: (run, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(noPass)
        const giveUp = () => {
          line.leave(waiting)
          waiting.end(noPass)
          admit()
        }
        const waiting: Waiting = {
          run,
          end(entry) {
            signal.removeEventListener('abort', giveUp)
            resolve(entry)
          },
        }
        signal.addEventListener('abort', giveUp, { once: true })
        line.join(waiting)
        admit()
      }),
  }
}

interface Waiting {
  readonly run: string
  end(entry: Pass | Closure): void
}

const noPass: Pass = { type: 'pass', learn() {}, leave: () => null }
