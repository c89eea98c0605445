const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const

/** Milliseconds of a duration such as `1m30.5s`, `250ms`, `20 seconds`, or a number of seconds. */
export function spanOf(text: string): number | null {
  const plain = text.trim().toLowerCase()
  if (/^\d+(\.\d+)?$/.test(plain)) return Math.ceil(Number(plain) * 1_000)
  const short = plain.replaceAll(/ ?(d|h|m|s)(?:ays?|ours?|inutes?|ins?|econds?|ecs?)\b ?/g, '$1')
  const parts = [...short.matchAll(/(\d+(?:\.\d+)?)(ms|d|h|m|s)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== short) return null
  return Math.ceil(parts.reduce((sum, [, number, unit]) => sum + Number(number) * units[unit as keyof typeof units], 0))
}
