import { setTimeout } from 'node:timers/promises'
import { graceMs } from './grace.ts'
import type { Range } from './range.ts'
import type { RowName } from './rows.ts'

/**
 * One attempt for a row of security.md. The defence holds if the observation equals the expectation
 * word for word.
 */
export interface Attack {
  readonly row: RowName
  /** The attempt in words, unique within the row. */
  readonly name: string
  readonly expected: string
  /** Carries out the attempt and returns the observation. Throws if the attack itself fails. */
  readonly run: (range: Range) => Promise<string | NotApplicable>
}

/** The reason why this machine has nothing to attack. */
export interface NotApplicable {
  readonly notApplicable: string
}

export interface Outcome {
  readonly row: RowName
  readonly attack: string
  readonly expected: string
  /** Null if it was not tried. */
  readonly observed: string | null
  readonly status: 'ok' | 'FAILED' | 'not applicable'
  /** The reason why it was not tried. */
  readonly reason?: string
}

/** Milliseconds that an attack may take, even on a busy machine. */
const longest = 120_000

/** An attack that fails or does not end has shown nothing, so it counts as successful. */
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
    // The processes of an attack must have ended before the folder is removed.
    if (signal.aborted)
      await Promise.race([running.catch(() => undefined), setTimeout(graceMs, undefined, { ref: false })])
    range.signal.throwIfAborted()
    const words = error instanceof Error ? error.message : String(error)
    return { ...tried, observed: `the attack broke off: ${words}`, status: 'FAILED' }
  } finally {
    signal.removeEventListener('abort', end)
  }
}
