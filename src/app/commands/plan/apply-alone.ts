import type { Ownership } from '../../ownership.ts'
import { type ConfigSource, codersOf } from '../check-config.ts'

/**
 * Applies stored commands without starting any work, where no owner is running. False when another
 * process has become the owner in between.
 */
export async function applyAlone(drydock: ConfigSource & Pick<Ownership, 'own'>): Promise<boolean> {
  const failures: unknown[] = []
  const coders = await codersOf(drydock, {})
  const owner = await drydock.own({ coders, asked: [], only: true, onFailure: (error) => failures.push(error) })
  await owner?.stop({ drain: false })
  if (failures.length > 0) throw failures[0]
  return owner !== null
}
