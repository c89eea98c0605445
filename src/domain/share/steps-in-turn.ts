/** A step that is due or in progress. */
interface RunStep {
  readonly run: string
}

/**
 * The steps to begin when there is not room for all: those of the Runs with the fewest steps in
 * progress, and of these the ones that were queued first. `due` is in the order of the queue, and
 * `underWay` names the Run of each step that has begun, here or elsewhere.
 */
export function stepsInTurn<S extends RunStep>(
  due: readonly S[],
  { underWay, free }: { readonly underWay: readonly string[]; readonly free: number },
): readonly S[] {
  if (due.length <= free) return due
  const busy = new Map<string, number>()
  for (const run of underWay) busy.set(run, (busy.get(run) ?? 0) + 1)
  // The n-th step of a Run ranks after the Run's steps in progress, and those queued before.
  const ranked = due.map((step) => {
    const rank = busy.get(step.run) ?? 0
    busy.set(step.run, rank + 1)
    return { step, rank }
  })
  return ranked
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, Math.max(0, free))
    .map(({ step }) => step)
}
