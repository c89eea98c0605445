/** The name of a coder slot, counted from 1: `coder-001`. */
export function slotName(n: number): string {
  return `coder-${String(n).padStart(3, '0')}`
}

/** As many slots as can be worked in at once, with those that are held by what is at rest. */
export function slotNames(coders: number, held: readonly string[]): readonly string[] {
  const names = new Set(held)
  for (let n = 1; names.size < coders + new Set(held).size; n += 1) names.add(slotName(n))
  return [...names].sort()
}
