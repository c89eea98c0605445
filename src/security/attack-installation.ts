import { type Attack, carryOut, type Outcome } from './attack.ts'
import type { Installation } from './installation.ts'
import { openRange, type Range } from './range.ts'

/** The number of concurrent attacks, which mostly wait for processes that they have started. */
const atOnce = 3

/**
 * Carries out attacks and yields the outcomes in order. When it ends or is aborted, nothing of it
 * is left.
 */
export async function* attackInstallation(
  installation: Installation,
  attacks: readonly Attack[],
  signal: AbortSignal,
): AsyncGenerator<Outcome> {
  await using range = await openRange(installation, signal)
  const outcomes = attacks.map(() => Promise.withResolvers<Outcome>())
  // Outcomes that the caller no longer reads must not become unhandled rejections.
  for (const { promise } of outcomes) promise.catch(() => undefined)
  const left = attacks.entries()
  const working = Promise.all(Array.from({ length: atOnce }, () => work(range, left, outcomes)))
  try {
    for (const { promise } of outcomes) yield await promise
  } finally {
    await working
  }
}

async function work(
  range: Range,
  left: ArrayIterator<[number, Attack]>,
  outcomes: readonly PromiseWithResolvers<Outcome>[],
): Promise<void> {
  for (const [i, attack] of left) {
    if (range.signal.aborted) outcomes[i]?.reject(range.signal.reason)
    else await carryOut(attack, range).then(outcomes[i]?.resolve, outcomes[i]?.reject)
  }
}
