/** Formats dollars as `$0.42`. An unknown amount is never shown as zero. */
export function formatUsd(usd: number | null): string {
  if (usd === null) return 'unknown'
  if (usd === 0) return '$0'
  if (usd >= 0.1) return `$${usd.toFixed(2)}`
  return usd < 0.0001 ? '<$0.0001' : `$${Number(usd.toPrecision(2))}`
}

/** Dollars of calls; null while the price of one of them is not known. */
export function usdOf({ microUsd, unpriced }: { readonly microUsd: number; readonly unpriced: number }): number | null {
  return unpriced > 0 ? null : microUsd / 1e6
}
