import { type OpenEscalation, openEscalationsOf } from '../../domain/request/open-escalations.ts'
import { isEnded, type Run } from '../../domain/run/run.ts'
import type { Records } from '../../ports/store.ts'

/** The open questions of a Run to a human, in the order in which they were asked. */
export async function openEscalations(records: Records, run: Run): Promise<readonly OpenEscalation[]> {
  // Nothing of one that has ended waits, and there may be many.
  if (isEnded(run.state)) return []
  const [stories, requests, asked] = await Promise.all([
    records.machines({ kind: 'story', run: run.id }),
    records.machines({ kind: 'request', run: run.id }),
    records.chat({ run: run.id, postType: 'escalate' }),
  ])
  return openEscalationsOf({ run, stories, requests, asked })
}
