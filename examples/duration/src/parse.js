import { units } from './units.js'

const part = /(\d+(?:\.\d+)?)\s*([a-z])/g

/** Milliseconds of a text such as `1h 30m`. Throws a RangeError for anything else. */
export function parse(text) {
  const rest = text.replace(part, '').trim()
  if (rest !== '' || text.trim() === '') throw new RangeError(`not a duration: ${text}`)
  let total = 0
  for (const [, amount, symbol] of text.matchAll(part)) {
    const unit = units.find((each) => each.symbol === symbol)
    if (!unit) throw new RangeError(`unknown unit: ${symbol}`)
    total += Number(amount) * unit.ms
  }
  return total
}
