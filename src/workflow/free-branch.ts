/** The wanted name, or the first of `-2`, `-3`… that is not taken. */
export function freeBranch(wanted: string, taken: ReadonlySet<string | null>): string {
  if (!taken.has(wanted)) return wanted
  let n = 2
  while (taken.has(`${wanted}-${n}`)) n += 1
  return `${wanted}-${n}`
}
