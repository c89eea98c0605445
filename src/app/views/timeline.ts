import type { z } from 'zod'
import { isNudge } from '../../agents/prompts/nudge.ts'
import type { CutText, ModelCall, Timeline, TimelineEntry, ToolCall, timelineQuerySchema } from '../../api/timeline.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { Message } from '../../domain/lane/message.ts'
import { limits } from '../../domain/limits.ts'
import { isObserved } from '../../domain/observed.ts'
import { capText } from '../../domain/text.ts'
import type { Records, TimelineEntry as Stored } from '../../ports/store.ts'
import { findRun, type ViewSources } from './view-sources.ts'

interface TimelineQuery extends z.output<typeof timelineQuerySchema> {
  readonly run: string
  readonly story?: string
}

/** A page of the calls of a Run or a story, newest first. */
export async function readTimeline(
  sources: ViewSources,
  { run: id, story, kind, text, before, limit }: TimelineQuery,
): Promise<Timeline> {
  const { records } = sources
  const run = await findRun(sources, id)
  const stored = await records.timeline({
    run: run.id,
    limit: limit + 1,
    ...(story !== undefined && { story }),
    ...(kind !== undefined && { kind }),
    ...(text !== undefined && text !== '' && { text }),
    ...(before !== undefined && { before }),
  })
  const page = stored.slice(0, limit)
  const entries = await describe(records, run.id, page, limits.dashboard.textChars)
  return { entries, next: stored.length > limit ? (page.at(-1)?.cursor ?? null) : null }
}

/** One timeline entry with much longer excerpts. Throws DrydockError `not_found`. */
export async function readTimelineEntry(sources: ViewSources, id: string, cursor: string): Promise<TimelineEntry> {
  const { records } = sources
  const run = await findRun(sources, id)
  const stored = await records.timeline({ run: run.id, at: cursor, limit: 1 })
  const [entry] = await describe(records, run.id, stored, limits.dashboard.wholeTextChars)
  if (entry !== undefined) return entry
  throw new DrydockError('not_found', `There is no call ${cursor} in ${run.id}.`, { todo: 'Look at the timeline.' })
}

async function describe(
  records: Records,
  run: string,
  stored: readonly Stored[],
  chars: number,
): Promise<TimelineEntry[]> {
  const lanes = new Set(stored.flatMap(({ type, call }) => (type === 'model_call' ? [call.lane] : [])))
  const turns = new Map<string, ReadonlyMap<number, Turn>>()
  for (const lane of lanes) {
    const data = (await records.machineOf('lane', lane))?.data
    // Skips lanes of foreign agents: the gateway forwards their calls without storing the content.
    if (data?.agent !== undefined) continue
    const own = await records.modelCalls(run, lane)
    turns.set(lane, turnsOf(data?.system ?? '', await records.messages(lane), own))
  }
  return stored.map((entry) =>
    entry.type === 'model_call'
      ? modelCall(entry, turns.get(entry.call.lane)?.get(entry.call.turn) ?? null, chars)
      : toolCall(entry, chars),
  )
}

/** The new input of a request, and the reply. */
interface Turn {
  readonly input: string
  readonly output: string | null
}

interface TurnCall {
  readonly turn: number
  readonly stop: string
}

/**
 * Splits a conversation into turns. A turn ends with the model's message, or with the reminder that
 * follows an empty reply. A failed call adds nothing.
 */
function turnsOf(system: string, messages: readonly Message[], calls: readonly TurnCall[]): ReadonlyMap<number, Turn> {
  const answered: Turn[] = []
  let open: string[] = [system]
  messages.forEach((message, i) => {
    const isEmptyReply = message.role === 'user' && isNudge(message.text) && messages[i - 1]?.role !== 'assistant'
    if (message.role === 'assistant' || isEmptyReply) {
      answered.push({ input: joined(open), output: message.role === 'assistant' ? textOf(message) : '' })
      open = []
    }
    if (message.role !== 'assistant') open.push(textOf(message))
  })
  let n = 0
  return new Map(
    calls.map(({ turn, stop }): [number, Turn] => {
      const next = answered[n] ?? { input: joined(open), output: null }
      if (stop === 'error') return [turn, { ...next, output: null }]
      n += 1
      return [turn, next]
    }),
  )
}

function joined(parts: readonly string[]): string {
  return parts.filter(Boolean).join('\n\n')
}

function textOf(message: Message): string {
  switch (message.role) {
    case 'user':
      return message.text
    case 'assistant':
      return joined([
        message.text,
        ...message.calls.map(({ tool, input }) => `${tool} ${JSON.stringify(input, null, 2)}`),
      ])
    case 'tool':
      return joined(message.results.map(({ tool, ok, output }) => `${tool} ${ok ? 'answered' : 'failed'}:\n${output}`))
    default:
      throw new Error(`unknown message ${message satisfies never}`)
  }
}

function modelCall(
  { cursor, call }: Extract<Stored, { type: 'model_call' }>,
  said: Turn | null,
  chars: number,
): ModelCall {
  const { usage, costMicroUsd, durationMs } = call
  return {
    type: 'model_call',
    ...placeOf(cursor, call.run, call),
    model: call.model,
    stop: call.stop,
    error: call.error,
    duration_ms: durationMs,
    usage: usage && {
      input: usage.input,
      output: usage.output,
      cache_read: usage.cacheRead,
      cache_write: usage.cacheWrite,
    },
    cost_usd: costMicroUsd === null ? null : costMicroUsd / 1e6,
    input: cut(said?.input ?? '', chars),
    output: said === null || said.output === null ? null : cut(said.output, chars),
  }
}

function toolCall({ cursor, call }: Extract<Stored, { type: 'tool_call' }>, chars: number): ToolCall {
  return {
    type: 'tool_call',
    ...placeOf(cursor, call.session, call),
    tool: call.tool,
    observed: isObserved(call),
    ok: call.success,
    duration_ms: call.durationMs,
    input: cut(typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments, null, 2), chars),
    output: call.result === null ? null : cut(call.result, chars),
  }
}

interface PlaceInput {
  readonly story: string | null
  readonly lane: string
  readonly turn: number
  readonly startedAt: string
}

function placeOf(cursor: string, run: string, { story, lane, turn, startedAt }: PlaceInput) {
  const key = lane.slice(run.length + 1)
  return { cursor, story, lane: key, turn, agent: key.split('/')[0] ?? '', started_at: startedAt }
}

function cut(text: string, chars: number): CutText {
  return { text: capText(text, chars), truncated: text.length > chars, chars: text.length }
}
