import type { ChatMessage } from '../../../domain/chat.ts'
import type { EventOfType } from '../../../domain/event.ts'
import type { ToldGuide } from '../../../domain/guide/guide.ts'
import type { Run } from '../../../domain/run/run.ts'
import { costLine } from '../../../domain/verification/assurance-text.ts'
import type { Records } from '../../../ports/store.ts'
import { flakyLines } from '../../text/flaky-lines.ts'
import { type Acceptances, readAcceptances } from '../acceptance/read-acceptance.ts'
import { openEscalations } from '../open-escalations.ts'
import { type RunFacts, readRunFacts } from '../run-facts.ts'
import { readUnused } from '../thread.ts'
import { readUntold } from '../untold.ts'
import { readToldGuides } from './told-guides.ts'

/** All facts about a Run whose stories a crew builds. */
export interface Crew extends RunFacts {
  readonly chat: readonly ChatMessage[]
  /** Replies that were not used, by message id, with the reason. */
  readonly unused: ReadonlyMap<string, string>
  /** Notifications that the user's hook failed to receive, newest first. */
  readonly untold: readonly EventOfType<'notification_failed'>[]
  readonly guides: readonly ToldGuide[]
  /** One line for each test that failed and then passed without a change. */
  readonly flaky: readonly string[]
  readonly gateCosts: GateCosts
  /** Acceptance criteria by story. */
  readonly acceptances: Acceptances
}

/** The costs of verifications that ran more than their own steps, by `run_id`. */
export type GateCosts = ReadonlyMap<string, string>

export async function readGateCosts(records: Records, run: Run): Promise<GateCosts> {
  const rows = await records.verifications(run.id)
  return new Map(
    rows.flatMap(({ runId, manifest }) => {
      const line = manifest && costLine(manifest)
      return line ? [[runId, line.text] as const] : []
    }),
  )
}

export async function readCrew(records: Records, run: Run): Promise<Crew> {
  const facts = await readRunFacts(records, run)
  const chat = await records.chat({ run: run.id })
  const waiting = new Set((await openEscalations(records, run)).map(({ message }) => message.id))
  return {
    ...facts,
    chat,
    unused: await readUnused(records, { run: run.id, messages: chat, waiting }),
    untold: await readUntold(records, run.id),
    guides: await readToldGuides(records, run, null),
    flaky: flakyLines(await records.flakyTests(), run.id),
    gateCosts: await readGateCosts(records, run),
    acceptances: await readAcceptances(records, run, facts.stories),
  }
}
