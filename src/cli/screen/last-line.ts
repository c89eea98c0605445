import { type Drydock, outcomes } from '../../compose.ts'
import type { Run } from '../../domain/run/run.ts'
import { ownership } from '../outcome-now.ts'
import { reading } from '../reading.ts'
import type { Output } from './output.ts'

/** For programs, when the following ends before the Run does: its result as it is now. */
export async function emitLastLine(output: Output, drydock: Drydock, runs: readonly string[]): Promise<void> {
  if (!output.json) return
  const isWorkedOn = await ownership(drydock)
  await reading(drydock, async (records) => {
    for (const id of runs) {
      const run = (await records?.machine(id)) as Run | null | undefined
      const result =
        records && run ? await outcomes.resultNow(records, run, { isWorkedOn: isWorkedOn({ id }) }) : notStarted
      output.emit({ type: 'result', run: id, ...result })
    }
  })
}

/** Of one that is stored and that no process has taken up. */
const notStarted = { status: 'WAITING', branch: null, base: null, stories: [], cost_usd: 0, tokens: 0 }
