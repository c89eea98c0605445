import type { Drydock } from '../../compose.ts'
import { parseDuration } from '../../domain/duration.ts'
import { limits } from '../../domain/limits.ts'
import type { CommonOptions, Context } from '../context.ts'

/**
 * Seconds that a new Run waits for a provider: the flag, the user's file, or the usual, which is
 * short where nobody watches.
 */
export function maxWaitOf({ terminal }: Context, { user }: Drydock, { maxWait }: CommonOptions): number {
  const usual = terminal.env.CI ? limits.maxWaitCiSec : limits.maxWaitSec
  return maxWait ?? parseDuration(user.max_wait ?? '') ?? usual
}

/**
 * What a Run that is there already is told: only what was named, or what holds where nobody
 * watches.
 */
export function namedMaxWait(
  context: Context,
  drydock: Drydock,
  options: CommonOptions,
): { readonly maxWaitSec?: number } {
  const isNamed = options.maxWait !== undefined || Boolean(context.terminal.env.CI)
  return isNamed ? { maxWaitSec: maxWaitOf(context, drydock, options) } : {}
}
