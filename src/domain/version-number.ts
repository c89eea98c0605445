/** Compares the leading numbers: `2.39.5 (Apple Git-154)` is at least `2.38`. */
export function isAtLeast(version: string, least: string): boolean {
  const [found, wanted] = [numbers(version), numbers(least)]
  const at = wanted.findIndex((part, i) => part !== (found[i] ?? 0))
  return at === -1 || (found[at] ?? 0) > (wanted[at] ?? 0)
}

function numbers(version: string): readonly number[] {
  return version.split('.').map((part) => Number.parseInt(part, 10) || 0)
}
