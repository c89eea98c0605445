import type { Event, EventOfType } from '../../../domain/event.ts'
import type { Json } from '../../../domain/json.ts'
import { isObserved } from '../../../domain/observed.ts'
import { titleOf } from '../../../domain/run/title.ts'
import type { OwnedRecords } from '../../state-access.ts'
import { callLine, toolLine } from '../../text/tool-line.ts'
import { verificationText } from '../../text/verification-text.ts'
import { createTranscript } from '../transcript.ts'
import { type RunNow, readRunNow } from './run-now.ts'

/** A tool call of an agent that has ended. */
export interface ToolCallRow {
  /** Of an observed call its kind, in the words of ACP. */
  readonly tool: string
  /** Only a foreign agent speaks of it. */
  readonly observed: boolean
  readonly input: Json
  readonly line: string
  readonly ok: boolean
  readonly result: string
}

/** A Run in the list of those that can be opened. */
export interface RunTitle {
  readonly run: string
  readonly title: string
  /** ISO 8601, of its last event. */
  readonly updatedAt: string
}

/** What an editor's window shows of the Runs of one state. Close it after use. */
export interface RunWindow {
  /** The next events of a Run after an id, a page at a time. */
  events(run: string, after: number): Promise<readonly Event[]>
  /** Null for a Run that no owner has taken up yet. */
  now(run: string): Promise<RunNow | null>
  /** The words of an agent at one of its replies, each event once and in order; null for none. */
  words(event: EventOfType<'model_call'>): Promise<string | null>
  /** The n-th call of the reply that the event names; null when it is not stored. */
  call(event: EventOfType<'tool'>, n: number): Promise<ToolCallRow | null>
  /** Verdict, steps and the end of the log, as Markdown; null when there is none. */
  verification(runId: string): Promise<string | null>
  /** The text of a message of the chat. */
  message(id: string): Promise<string | null>
  isApplied(command: string): Promise<boolean>
  /** It was asked for, and no owner has taken it up yet. */
  isPending(run: string): Promise<boolean>
  /** All Runs, newest first. */
  titles(): Promise<readonly RunTitle[]>
  close(): Promise<void>
}

const eventsAtOnce = 500

/** Reads the state beside its owner. */
export function openRunWindow(drydock: OwnedRecords): RunWindow {
  const records = drydock.openRecords()
  const transcript = createTranscript(records)
  return {
    events: (run, after) => records.events({ run, after, limit: eventsAtOnce }),
    now: (run) => readRunNow(drydock, records, run),
    async words(event) {
      const spoken = await transcript.of(event)
      const { lane } = event.data
      return spoken?.whole.find(({ name }) => name === lane)?.text ?? null
    },
    async call({ run, data: { lane, turn, tool } }, n) {
      const made = await records.toolExecution(`${run}/${lane}`, turn, n)
      if (made === null || made.tool !== tool) return null
      const { arguments: input, result, success } = made
      const observed = isObserved(made)
      const line = observed ? toolLine({ ...made, result: null }) : callLine(tool, input)
      return { tool, observed, input, line, ok: success !== false, result: result ?? '' }
    },
    async verification(runId) {
      const row = await records.verification(runId)
      if (row === null) return null
      const { status, errorType, errorMessage, tailLog, manifest } = row
      const failure = {
        ...(errorType && { error_type: errorType }),
        ...(errorMessage && { error_message: errorMessage }),
      }
      return verificationText({ run_id: runId, status, tail_log: tailLog, artifact_paths: null, manifest, ...failure })
    },
    message: async (id) => (await records.chatMessage(id))?.content ?? null,
    isApplied: (key) => records.commandApplied(key),
    isPending: async (id) =>
      (await records.pendingCommands()).some(({ command: { kind, run } }) => kind === 'start' && run === id),
    async titles() {
      const runs = await records.machines({ kind: 'run' })
      const titles = runs.map(async (run) => {
        const [last] = await records.recentEvents({ run: run.id, limit: 1 })
        return { run: run.id, title: titleOf(run), updatedAt: last?.at ?? '' }
      })
      return (await Promise.all(titles)).toReversed()
    },
    close: () => records.close(),
  }
}
