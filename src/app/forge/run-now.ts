import type { OpenEscalation } from '../../domain/request/open-escalations.ts'
import type { Outcome } from '../../domain/run/outcome.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Story } from '../../domain/story/story.ts'
import type { ForgeCall } from '../../ports/rows.ts'
import type { Records } from '../../ports/store.ts'
import { readOutcome } from '../../workflow/run/read-outcome.ts'
import { openEscalations, readAnswered } from '../views/open-escalations.ts'
import { type RemarkNow, readRemarks } from '../views/remarks.ts'

/** The facts about a Run that its status comment shows. */
export interface RunNow {
  readonly id: string
  /** Null until an owner has begun the Run. */
  readonly run: Run | null
  readonly outcome: Outcome | null
  readonly stories: readonly Story[]
  /** Open questions, including those of follow-up Runs that work on remarks about this Run. */
  readonly questions: readonly OpenEscalation[]
  readonly calls: readonly ForgeCall[]
  readonly remarks: readonly RemarkNow[]
}

export async function readRunNow(records: Records, id: string): Promise<RunNow> {
  const answered = await readAnswered(records)
  const run = await records.machineOf('run', id)
  const calls = await records.forgeCalls(id)
  if (run === null) return { id, run, outcome: null, stories: [], questions: [], calls, remarks: [] }
  const remarks = await readRemarks(records, id)
  const workers = await Promise.all(followUpsOf(remarks).map((worker) => records.machineOf('run', worker)))
  const asking = [run, ...workers.filter((worker) => worker !== null)]
  const open = (await Promise.all(asking.map((each) => openEscalations(records, each)))).flat()
  return {
    id,
    run,
    calls,
    remarks,
    outcome: await readOutcome(records, run, { isWorkedOn: true }),
    stories: await records.machines({ kind: 'story', run: id }),
    questions: open.filter(({ message }) => !answered.has(message.id)),
  }
}

/** The Runs that have worked on remarks, or still do. */
function followUpsOf(remarks: readonly RemarkNow[]): readonly string[] {
  return [...new Set(remarks.flatMap(({ followUp }) => followUp?.run ?? []))]
}
