/**
 * The wanted name, or the first of `-2`, `-3`… that is neither a branch nor a folder of branches.
 */
export function freeBranch(wanted: string, taken: ReadonlySet<string | null>): string {
  const isTaken = (name: string) => taken.has(name) || [...taken].some((other) => other?.startsWith(`${name}/`))
  if (!isTaken(wanted)) return wanted
  let n = 2
  while (isTaken(`${wanted}-${n}`)) n += 1
  return `${wanted}-${n}`
}
