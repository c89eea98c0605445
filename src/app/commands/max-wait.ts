import { parseDuration } from '../../domain/duration.ts'
import { limits } from '../../domain/limits.ts'
import type { Installation } from '../installation.ts'
import type { WorkOptions } from '../work-options.ts'

/**
 * Seconds that a new Run waits for a provider: the flag, the user's file, or the default. The
 * default is short in CI, where nobody is watching.
 */
export function maxWaitOf({ env, user }: Pick<Installation, 'env' | 'user'>, { maxWait }: WorkOptions): number {
  const usual = env.CI ? limits.maxWaitCiSec : limits.maxWaitSec
  return maxWait ?? parseDuration(user.max_wait ?? '') ?? usual
}

/**
 * The longest wait to set on an existing Run: the named one, or the CI default. Empty otherwise.
 */
export function namedMaxWait(
  drydock: Pick<Installation, 'env' | 'user'>,
  options: WorkOptions,
): { readonly maxWaitSec?: number } {
  const isNamed = options.maxWait !== undefined || Boolean(drydock.env.CI)
  return isNamed ? { maxWaitSec: maxWaitOf(drydock, options) } : {}
}
