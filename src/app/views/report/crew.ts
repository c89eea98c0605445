import type { ChatMessage } from '../../../domain/chat.ts'
import type { EventOfType } from '../../../domain/event.ts'
import type { Run } from '../../../domain/run/run.ts'
import type { Records } from '../../../ports/store.ts'
import { flakyLines } from '../../text/flaky-lines.ts'
import { openEscalations } from '../open-escalations.ts'
import { type RunFacts, readRunFacts } from '../run-facts.ts'
import { readUnused } from '../thread.ts'
import { readUntold } from '../untold.ts'
import { readToldGuides, type ToldGuide } from './told-guides.ts'

/** All that is known of a Run whose stories a crew builds. */
export interface Crew extends RunFacts {
  readonly chat: readonly ChatMessage[]
  /** Replies that were not used, by their ids, with the reason. */
  readonly unused: ReadonlyMap<string, string>
  /** What a hook of the user's could not be told, newest first. */
  readonly untold: readonly EventOfType<'notification_failed'>[]
  readonly guides: readonly ToldGuide[]
  /** A line for each test that failed and passed without a change. */
  readonly flaky: readonly string[]
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
  }
}
