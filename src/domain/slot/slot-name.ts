/** The name of a coder slot, counted from 1: `coder-001`. */
export function slotName(n: number): string {
  return `coder-${String(n).padStart(3, '0')}`
}

/** The names of all slots that can be in use at once, plus those that work at rest holds. */
export function slotNames(coders: number, held: readonly string[]): readonly string[] {
  const names = new Set(held)
  for (let n = 1; names.size < coders + new Set(held).size; n += 1) names.add(slotName(n))
  return [...names].sort()
}
