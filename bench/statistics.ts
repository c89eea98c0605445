/** The smallest value that is at least as large as this part of all values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)]
  if (value === undefined) throw new Error('there is nothing to take a quantile of')
  return value
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)
