import { DrydockError } from '../../domain/drydock-error.ts'
import type { OpenEscalation } from '../../domain/request/open-escalations.ts'
import type { Run } from '../../domain/run/run.ts'
import { namesIn } from '../../domain/run/run-models.ts'
import type { Records } from '../../ports/store.ts'
import type { Installation } from '../installation.ts'
import { type CommandQueue, handOver } from '../operations/hand-over.ts'
import { openEscalations } from '../views/open-escalations.ts'

/** The person of a recording, who answers as the replay file says. */
export interface RecordedHuman {
  /** Gives the recorded answers to questions that are open now, each once. */
  look(runs: readonly string[]): Promise<void>
  /** The open questions that the recording does not answer, so that a real person must. */
  unanswered(run: string): Promise<readonly OpenEscalation[]>
  /** Waits for answers that are being given, and gives no further ones. */
  end(): Promise<void>
}

export interface RecordedHumanOptions {
  readonly records: Records
  /** Milliseconds for which a question stays visible before it is answered. */
  readonly delayMs: number
  /** Called when an answer could not be given. */
  readonly onFailure: (error: unknown) => void
}

export function createRecordedHuman(
  drydock: CommandQueue & Pick<Installation, 'model'>,
  { records, delayMs, onFailure }: RecordedHumanOptions,
): RecordedHuman {
  const ended = new AbortController()
  const answers = new Map<string, Promise<void>>()

  async function answer(run: string, message: string, text: string): Promise<void> {
    try {
      if (delayMs > 0) await drydock.clock.sleep(delayMs, { signal: ended.signal })
      await handOver(drydock, keyOf(message), { kind: 'reply', run, message, text })
    } catch (error) {
      if (!ended.signal.aborted) onFailure(error)
    }
  }

  return {
    async look(runs) {
      const found = await Promise.all(runs.map((run) => records.machineOf('run', run)))
      for (const run of found.filter((each) => each !== null)) {
        if (scriptsOf(drydock, run).flat().length === 0) continue
        for (const { message, n } of await openEscalations(records, run)) {
          const text = replyTo(drydock, run, n)
          if (text === null || answers.has(message.id) || (await records.commandApplied(keyOf(message.id)))) continue
          answers.set(message.id, answer(run.id, message.id, text))
        }
      }
    },
    async unanswered(id) {
      const run = await records.machineOf('run', id)
      if (run === null) return []
      const open = await openEscalations(records, run)
      const asked: OpenEscalation[] = []
      for (const escalation of open) {
        const recorded = replyTo(drydock, run, escalation.n) !== null
        if (!recorded || (await records.commandApplied(keyOf(escalation.message.id)))) asked.push(escalation)
      }
      return asked
    },
    async end() {
      ended.abort()
      await Promise.all(answers.values())
    },
  }
}

/**
 * The idempotency key of an answer. It is equal in every process, so that two processes answer only
 * once.
 */
function keyOf(message: string): string {
  return `recorded/${message}`
}

function replyTo(drydock: Pick<Installation, 'model'>, run: Run, n: number): string | null {
  const entries = scriptsOf(drydock, run).flat()
  return entries.find(({ escalation }) => escalation === n)?.reply ?? null
}

/**
 * The recordings of a Run. A missing recording has no answers; the Run itself will report the
 * error.
 */
function scriptsOf(drydock: Pick<Installation, 'model'>, { data: { models } }: Run) {
  return namesIn(models).map((id) => {
    try {
      return drydock.model(id).script?.human ?? []
    } catch (error) {
      if (error instanceof DrydockError) return []
      throw error
    }
  })
}
