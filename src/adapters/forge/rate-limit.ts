import { limits } from '../../domain/limits.ts'

/** Whether an answer turns a request away for its number alone: nothing was done. */
export async function isRateLimit(response: Response): Promise<boolean> {
  const { status, headers } = response
  if (status === 429) return true
  if (status !== 403) return false
  if (headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0') return true
  return /rate limit|abuse detection/i.test(await response.clone().text())
}

/** The milliseconds that the forge wants to be left alone; a minute if it does not say. */
export function waitOf(headers: Headers, now: number): number {
  const after = headers.get('retry-after')
  const seconds = Number(after)
  if (after !== null && after.trim() !== '' && Number.isFinite(seconds)) return bounded(seconds * 1_000)
  const date = after === null ? Number.NaN : Date.parse(after)
  if (!Number.isNaN(date)) return bounded(date - now)
  const reset = Number(headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') ?? Number.NaN)
  return Number.isFinite(reset) ? bounded(reset * 1_000 - now) : limits.forge.waitMs
}

/** Clocks differ: a time that has passed already is a second. No forge means years. */
function bounded(ms: number): number {
  return Math.min(Math.max(ms, 1_000), limits.forge.longestWaitMs)
}
