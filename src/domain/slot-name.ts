/** The name of a coder slot, counted from 1: `coder-001`. */
export function slotName(n: number): string {
  return `coder-${String(n).padStart(3, '0')}`
}
