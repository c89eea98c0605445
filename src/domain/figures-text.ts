/**
 * Figures as people read them, rounded alike by the command line, reports and the dashboard. What
 * is unknown is said, never shown as zero. This file imports nothing: a browser loads it.
 */

const grouped = (text: string) => text.replace(/\B(?=(\d{3})+(?!\d))/g, ',')

/** Dollars as `$0.42` and `$1,250.00`; below ten cents with two digits that count. */
export function formatUsd(usd: number | null): string {
  if (usd === null) return 'unknown'
  if (usd === 0) return '$0'
  if (usd >= 0.0995) {
    const [whole = '', cents] = usd.toFixed(2).split('.')
    return `$${grouped(whole)}.${cents}`
  }
  return usd < 0.0001 ? '<$0.0001' : `$${Number(usd.toPrecision(2))}`
}

/** Dollars of calls; null while the price of one of them is unknown. */
export function usdOf({ microUsd, unpriced }: { readonly microUsd: number; readonly unpriced: number }): number | null {
  return unpriced > 0 ? null : microUsd / 1e6
}

/** Tokens, and any other number of things: `999`, `43.5k`, `15.6M`. */
export function formatCount(n: number): string {
  if (n < 1_000) return String(n)
  return n < 999_950 ? `${(n / 1_000).toFixed(1)}k` : `${(n / 1_000_000).toFixed(1)}M`
}

/** Milliseconds as `0.4 s`, `42 s`, `3 min 05 s`, `5 h 07 min` or `3 days`; at least `0.1 s`. */
export function formatDuration(ms: number): string {
  const tenths = Math.max(1, Math.round(ms / 100)) / 10
  if (tenths < 10) return `${tenths.toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  const two = (n: number) => String(n).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${two(seconds % 60)} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${two(minutes % 60)} min` : `${Math.floor(hours / 24)} days`
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** Bytes as `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`
}
