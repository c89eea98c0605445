import type { Job, JobTransaction } from '../../ports/jobs.ts'

/** A notification about a Run is not work on it. */
export async function workOn(tx: JobTransaction, run: string): Promise<readonly Job[]> {
  return (await tx.jobsOf(run)).filter(({ kind }) => kind !== 'notification')
}

/** Removes steps, and returns their machines. */
export async function endSteps(tx: JobTransaction, jobs: readonly Job[]): Promise<readonly string[]> {
  for (const { id } of jobs) await tx.endJob(id)
  return [...new Set(jobs.map(({ machine }) => machine))]
}
