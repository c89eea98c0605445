import { setTimeout } from 'node:timers/promises'
import { graceMs } from './grace.ts'
import type { Range } from './range.ts'
import type { RowName } from './rows.ts'

/**
 * One try at a row of security.md. It holds when what is observed is, word for word, what was
 * expected.
 */
export interface Attack {
  readonly row: RowName
  /** What is tried; no other attack of the row is called so. */
  readonly name: string
  readonly expected: string
  /** Does it and says what came of it. A failure of the attack itself throws. */
  readonly run: (range: Range) => Promise<string | NotApplicable>
}

/** Why there is nothing to try on this machine. */
export interface NotApplicable {
  readonly notApplicable: string
}

export interface Outcome {
  readonly row: RowName
  readonly attack: string
  readonly expected: string
  /** Null when it was not tried. */
  readonly observed: string | null
  readonly status: 'ok' | 'FAILED' | 'not applicable'
  /** Why it was not tried. */
  readonly reason?: string
}

/** Milliseconds that an attack may take, also on a machine that is busy. */
const longest = 120_000

/**
 * An attack that breaks off, or does not end, has shown nothing, so it counts as one that came
 * through.
 */
export async function carryOut(attack: Attack, range: Range): Promise<Outcome> {
  const { row, name, expected, run } = attack
  const tried = { row, attack: name, expected }
  const signal = AbortSignal.any([range.signal, AbortSignal.timeout(longest)])
  const { promise: over, reject } = Promise.withResolvers<never>()
  const end = () => reject(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  const running = run(range.within(signal))
  try {
    const observed = await Promise.race([running, over])
    if (typeof observed === 'string') return { ...tried, observed, status: observed === expected ? 'ok' : 'FAILED' }
    return { ...tried, observed: null, status: 'not applicable', reason: observed.notApplicable }
  } catch (error) {
    // What it has started must have ended before its folder goes.
    if (signal.aborted)
      await Promise.race([running.catch(() => undefined), setTimeout(graceMs, undefined, { ref: false })])
    range.signal.throwIfAborted()
    const words = error instanceof Error ? error.message : String(error)
    return { ...tried, observed: `the attack broke off: ${words}`, status: 'FAILED' }
  } finally {
    signal.removeEventListener('abort', end)
  }
}
