const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Seconds from `30s`, `10m`, `24h` or `2d`; null for anything else. */
export function parseDuration(text: string): number | null {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text.trim()) ?? []
  return count === undefined ? null : Number(count) * (units[unit] ?? 0)
}
