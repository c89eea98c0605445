import type { ViewSources } from '../view-sources.ts'

type Sources = Pick<ViewSources, 'records'>

/** Counts of open and finished work over all Runs of a state. */
export type Workload = Awaited<ReturnType<typeof readWorkload>>

export function readWorkload({ records }: Sources) {
  return records.workload()
}

/** Checks that the store answers; rejects when the rows cannot be read. */
export async function tryStore({ records }: Sources): Promise<void> {
  await records.lastEvent()
}
