import { assignedIn, assigning } from '../../domain/request/assigned-to.ts'
import { type OpenEscalation, openEscalationsOf } from '../../domain/request/open-escalations.ts'
import { isEnded, type Run } from '../../domain/run/run.ts'
import type { Records } from '../../ports/store.ts'

/** The open questions of a Run to a human, in the order of asking. */
export async function openEscalations(records: Records, run: Run): Promise<readonly OpenEscalation[]> {
  // Skips ended Runs, which have no open questions and may be many.
  if (isEnded(run.state)) return []
  const [stories, requests, asked] = await Promise.all([
    records.machines({ kind: 'story', run: run.id }),
    records.machines({ kind: 'request', run: run.id }),
    records.chat({ run: run.id, postType: 'escalate' }),
  ])
  const assigned = asked.length === 0 ? new Map<string, string>() : await readAssigned(records, run.id)
  return openEscalationsOf({ run, stories, requests, asked, assigned })
}

/** The person whom each question of a Run is for, by the id of its message. */
export async function readAssigned(records: Records, run: string): Promise<ReadonlyMap<string, string | null>> {
  return assignedIn(await records.recentEvents({ run, types: [assigning], limit: 1_000 }))
}

/**
 * Ids of the questions whose answer is stored and not yet applied. Call it before reading the Runs:
 * an answer that is applied in between is then seen twice, and never missed.
 */
export async function readAnswered(records: Pick<Records, 'pendingCommands'>): Promise<ReadonlySet<string>> {
  const pending = await records.pendingCommands()
  return new Set(pending.flatMap(({ command }) => (command.kind === 'reply' ? [command.message] : [])))
}
