import { isSecret } from '../../../agents/tools/roles.ts'
import type { ChatMessage } from '../../../domain/chat.ts'
import { type Json, parsedJson } from '../../../domain/json.ts'
import type { Lane } from '../../../domain/lane/lane.ts'
import type { Message, ToolCall, Usage } from '../../../domain/lane/message.ts'
import type { ModelCall } from '../../../ports/rows.ts'
import type { Records } from '../../../ports/store.ts'
import { reading } from '../../reading.ts'
import type { RecordSource } from '../../state-access.ts'
import { type LaneFacts, laneFacts, readHistory } from './lane-facts.ts'
import { recordedInput } from './recorded-input.ts'

type Assistant = Extract<Message, { role: 'assistant' }>

interface RecordedCall {
  readonly tool: string
  readonly input: Json
}

type RecordedTurn =
  | { readonly text?: string; readonly calls?: readonly RecordedCall[]; readonly usage?: Usage }
  | {
      readonly error: { readonly kind: string; readonly message: string; readonly retryable: boolean }
      readonly usage?: Usage
    }

/** A Run in the form of a replay file. */
export interface Recording {
  readonly version: 1
  readonly lanes: Readonly<Record<string, readonly RecordedTurn[]>>
  readonly human?: readonly { readonly escalation: number; readonly reply: string }[]
  readonly merge_order?: readonly string[]
}

/**
 * Everything that models and humans have said in a Run so far; null if nothing of it is stored.
 * With `isOpen` editors may read the recording, so lanes that write or read hidden tests are left
 * out.
 */
export function readRecording(
  drydock: RecordSource,
  run: string,
  { isOpen }: { readonly isOpen: boolean },
): Promise<Recording | null> {
  return reading(drydock, async (records) =>
    (await records.machineOf('run', run)) === null ? null : recordingOf(records, run, isOpen),
  )
}

async function recordingOf(records: Records, run: string, isOpen: boolean): Promise<Recording> {
  const history = await readHistory(records, run)
  const calls = Map.groupBy(await callsAsTheyCame(records, run), ({ lane }) => lane)
  const lanes: Record<string, readonly RecordedTurn[]> = {}
  for (const lane of await records.machines({ kind: 'lane', run })) {
    const made = calls.get(lane.id)
    // Skips foreign agents: their own tools cannot be replayed by a model of Drydock.
    if (!made || lane.data.agent !== undefined) continue
    if (isOpen && isSecret(lane.data.role)) continue
    lanes[lane.data.key] = await turnsOf(records, { lane, calls: made, facts: laneFacts(history, lane) })
  }
  const human = repliesOf(await records.chat({ run }))
  const merged = await mergedStories(records, run)
  return {
    version: 1,
    lanes,
    ...(human.length > 0 && { human }),
    ...(merged.length > 1 && { merge_order: merged }),
  }
}

/** The calls of a Run. Usage is removed from calls whose provider counted nothing. */
async function callsAsTheyCame(records: Records, run: string): Promise<readonly ModelCall[]> {
  const calls = await records.modelCalls(run)
  const events = await records.recentEvents({ run, types: ['model_call'], limit: calls.length })
  const estimated = new Set(events.flatMap(({ data }) => (data.estimated ? `${run}/${data.lane} ${data.turn}` : [])))
  return calls.map((call) => (estimated.has(`${call.lane} ${call.turn}`) ? { ...call, usage: null } : call))
}

interface RecordedLane {
  readonly lane: Lane
  readonly calls: readonly ModelCall[]
  readonly facts: LaneFacts
}

/**
 * One turn for each committed call, at its position, since a replay finds turns by their number.
 */
async function turnsOf(records: Records, { lane, calls, facts }: RecordedLane): Promise<readonly RecordedTurn[]> {
  const said = (await records.messages(lane.id)).filter((message) => message.role === 'assistant')
  const turns: RecordedTurn[] = []
  for (const call of calls.toSorted((a, b) => a.turn - b.turn)) {
    const usage = call.usage && { usage: call.usage }
    if (call.error !== null) {
      turns.push({ ...errorOf(call.error), ...usage })
      continue
    }
    const message = repliedWith(call, said[0]) ? said.shift() : undefined
    const made: RecordedCall[] = []
    for (const [index, each] of (message?.calls ?? []).entries()) {
      const execution = await records.toolExecution(lane.id, call.turn, index)
      const known = facts(call.startedAt, execution?.success ? each : null)
      made.push({ tool: each.tool, input: recordedInput(inputAsItCame(each), known) })
    }
    turns.push({ ...(message?.text && { text: message.text }), ...(made.length > 0 && { calls: made }), ...usage })
  }
  return turns
}

/**
 * True if the message belongs to this call. An empty reply leaves no message; a reply with tool
 * calls always does.
 */
function repliedWith({ stop }: ModelCall, next: Assistant | undefined): boolean {
  return next !== undefined && (stop === 'calls') === next.calls.length > 0
}

/**
 * The input of a call as the model sent it. The input of an unknown tool is stored as text, and
 * replayed from its JSON.
 */
function inputAsItCame({ input, invalid }: ToolCall): Json {
  if (invalid === undefined || typeof input !== 'string') return input
  return parsedJson(input) ?? input
}

/** Temporary failures, after which the lane tried again. */
const passing = ['rate_limited', 'overloaded', 'network', 'timeout', 'interrupted']

function errorOf(error: string): Extract<RecordedTurn, { error: unknown }> {
  const [, kind = 'interrupted', message = error] = /^(\w+): (.*)$/s.exec(error) ?? []
  return { error: { kind, message, retryable: passing.includes(kind) } }
}

/** A person's replies, by the number of the escalation in the Run. */
function repliesOf(chat: readonly ChatMessage[]): NonNullable<Recording['human']> {
  const asked = chat.filter(({ post_type }) => post_type === 'escalate')
  return asked.flatMap(({ id }, index) => {
    const answer = chat.find(({ reply_to, agent_id }) => reply_to === id && agent_id === 'human')
    return answer ? [{ escalation: index + 1, reply: answer.content }] : []
  })
}

async function mergedStories(records: Records, run: string): Promise<readonly string[]> {
  const events = await records.events({ run, after: 0, limit: 1_000_000 })
  const merged = events.filter(({ type, data }) => type === 'merge' && data.state === 'MERGED')
  return merged.flatMap(({ story }) => story ?? [])
}
