import type { OpenEscalation } from '../../domain/request/open-escalations.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Records } from '../../ports/store.ts'
import { openEscalations } from '../views/open-escalations.ts'
import type { RecordedHuman } from './recorded-human.ts'

interface Waiting {
  readonly runs: readonly string[]
  readonly command?: string
  /** Results of the Runs that have ended. */
  readonly results: ReadonlyMap<string, unknown>
  readonly human: RecordedHuman | null
}

/**
 * The questions that all unfinished work waits for. Empty while some of that work is in progress or
 * about to start.
 */
export async function waitsFor(
  records: Records,
  { runs, command, human, results }: Waiting,
): Promise<readonly OpenEscalation[]> {
  const all: OpenEscalation[] = []
  if (command !== undefined && !(await records.commandApplied(command))) return []
  const machines = await runsOf(records, runs)
  if (machines.length < runs.length) return []
  for (const run of machines.filter(({ id }) => !results.has(id))) {
    if (!(await records.isIdle(run.id))) return []
    const open = await openEscalations(records, run)
    const unanswered = (await human?.unanswered(records, run)) ?? open
    if (unanswered.length === 0 || unanswered.length < open.length) return []
    all.push(...unanswered)
  }
  const pending = (await records.pendingCommands()).some(({ command: { run } }) => run === null || runs.includes(run))
  return pending ? [] : all
}

export async function runsOf(records: Records, runs: readonly string[]): Promise<readonly Run[]> {
  const found = await Promise.all(runs.map((run) => records.machineOf('run', run)))
  return found.filter((run) => run !== null)
}
