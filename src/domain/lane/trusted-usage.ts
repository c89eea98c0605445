import { limits } from '../limits.ts'
import type { Usage } from './message.ts'

/**
 * The usage of a call as a provider reports it; undefined for each number that it does not report.
 */
export type ReportedUsage = { readonly [Part in keyof Usage]: number | undefined }

/**
 * The usage of a call, or null when the provider's numbers cannot be true: a number is missing or
 * not a count, the input is 0 although a prompt was sent, the cached part exceeds the total, or the
 * total exceeds any model's window. Unknown usage counts as its reservation, so a provider's
 * numbers can never enlarge a budget.
 */
export function trustedUsage({ input, output, cacheRead = 0, cacheWrite = 0 }: ReportedUsage): Usage | null {
  if (input === undefined || output === undefined) return null
  const usage = { input, output, cacheRead, cacheWrite }
  const counts = Object.values(usage).every((each) => Number.isSafeInteger(each) && each >= 0)
  const fits = input > 0 && cacheRead + cacheWrite <= input && input + output <= limits.mostUsageTokens
  return counts && fits ? usage : null
}
