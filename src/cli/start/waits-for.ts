import type { StateReader } from '../../compose.ts'
import type { OpenEscalation } from '../../domain/request/open-escalations.ts'
import type { Run } from '../../domain/run/run.ts'
import { openEscalations } from '../open-escalations.ts'
import type { RecordedHuman } from '../recording/recorded-human.ts'

interface Waiting {
  readonly runs: readonly string[]
  readonly command?: string
  /** Of the Runs that have ended. */
  readonly results: ReadonlyMap<string, unknown>
  readonly human: RecordedHuman | null
}

/**
 * The questions that all the work without a result waits for; empty while anything of it goes on,
 * or is about to.
 */
export async function waitsFor(
  records: StateReader,
  { runs, command, human, results }: Waiting,
): Promise<readonly OpenEscalation[]> {
  const all: OpenEscalation[] = []
  if (command !== undefined && !(await records.commandApplied(command))) return []
  const machines = await runsOf(records, runs)
  if (machines.length < runs.length) return []
  for (const run of machines.filter(({ id }) => !results.has(id))) {
    if ((await records.openJobs(run.id)) > 0) return []
    const open = await openEscalations(records, run)
    const unanswered = (await human?.unanswered(records, run)) ?? open
    if (unanswered.length === 0 || unanswered.length < open.length) return []
    all.push(...unanswered)
  }
  const pending = (await records.pendingCommands()).some(({ command: { run } }) => run === null || runs.includes(run))
  return pending ? [] : all
}

export async function runsOf(records: StateReader, runs: readonly string[]): Promise<readonly Run[]> {
  const machines = await Promise.all(runs.map((run) => records.machine(run)))
  return machines.filter((machine) => machine !== null) as readonly Run[]
}
