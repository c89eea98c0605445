import type { Event, EventOfType } from '../../../domain/event.ts'
import type { Json } from '../../../domain/json.ts'
import { isObserved } from '../../../domain/observed.ts'
import { titleOf } from '../../../domain/run/title.ts'
import type { OwnedRecords } from '../../state-access.ts'
import { callLine, toolLine } from '../../text/tool-line.ts'
import { verificationText } from '../../text/verification-text.ts'
import { createTranscript } from '../transcript.ts'
import { type RunNow, readRunNow } from './run-now.ts'

/** A tool call of an agent, after it has ended. */
export interface ToolCallRow {
  /** The tool's name; for an observed call its kind in the vocabulary of ACP. */
  readonly tool: string
  /** True for a call that a foreign agent reported about its own tools. */
  readonly observed: boolean
  readonly input: Json
  readonly line: string
  readonly ok: boolean
  readonly result: string
}

/** A Run in the list of Runs to open. */
export interface RunTitle {
  readonly run: string
  readonly title: string
  /** ISO 8601 time of its last event. */
  readonly updatedAt: string
}

/** The data of an editor's window about the Runs of one state. Close it after use. */
export interface RunWindow {
  /** One page of a Run's events after an id. */
  events(run: string, after: number): Promise<readonly Event[]>
  /** Null for a Run that no owner has started yet. */
  now(run: string): Promise<RunNow | null>
  /** The words of an agent in one of its replies; null for none. Pass each event once, in order. */
  words(event: EventOfType<'model_call'>): Promise<string | null>
  /** The n-th call of the reply that the event names; null if it is not stored. */
  call(event: EventOfType<'tool'>, n: number): Promise<ToolCallRow | null>
  /** The verdict, the steps and the end of the log, as Markdown; null if there is none. */
  verification(runId: string): Promise<string | null>
  /** The text of a chat message; null if there is none. */
  message(id: string): Promise<string | null>
  isApplied(command: string): Promise<boolean>
  /** True if the Run is requested and no owner has started it yet. */
  isPending(run: string): Promise<boolean>
  /** All Runs, newest first. */
  titles(): Promise<readonly RunTitle[]>
  close(): Promise<void>
}

const eventsAtOnce = 500

/** Reads the state alongside its owner. */
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
