import { units } from './units.js'

/** A duration in milliseconds as text such as `1h 30m`, rounded to the nearest second. */
export function format(ms) {
  if (!Number.isFinite(ms)) throw new RangeError(`not a duration: ${ms}`)
  if (ms < 0) return `-${format(-ms)}`
  const parts = []
  let rest = ms
  for (const unit of units) {
    const last = unit === units.at(-1)
    const amount = last ? Math.round(rest / unit.ms) : Math.floor(rest / unit.ms)
    if (amount > 0) parts.push(`${amount}${unit.symbol}`)
    rest -= amount * unit.ms
  }
  return parts.join(' ') || '0s'
}
