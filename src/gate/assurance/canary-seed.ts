import { createHash } from 'node:crypto'
import type { Artifacts } from '../../ports/artifacts.ts'
import type { Clock } from '../../ports/clock.ts'

/**
 * The seed of all values in the canaries of a tree. The seed is random, and kept outside of every
 * sandbox: nothing in the tree can know it, and another verification of the same tree finds the
 * runs of the first one.
 */
export async function canarySeed(
  { artifacts, clock }: { readonly artifacts: Artifacts; readonly clock: Clock },
  tree: string,
): Promise<string> {
  const key = createHash('sha256').update(`canaries of ${tree}`).digest('hex').slice(0, 32)
  const kept = await artifacts.testList(key)
  if (kept !== null) return kept
  const seed = JSON.stringify(Array.from({ length: 4 }, () => clock.random()))
  await artifacts.keepTestList(key, seed, { forGood: true })
  return seed
}
