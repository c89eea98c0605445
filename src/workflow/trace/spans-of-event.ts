import type { Event, EventOfType } from '../../domain/event.ts'
import { limits } from '../../domain/limits.ts'
import { endedRunStates } from '../../domain/run/run-machine.ts'
import { capText } from '../../domain/text.ts'
import type { ModelCall, VerificationRow } from '../../ports/rows.ts'
import type { Records } from '../../ports/store.ts'
import type { Attributes, Span } from '../../ports/telemetry.ts'
import { endSpans } from './end-spans.ts'
import { modelAttributes } from './model-attributes.ts'
import { ofLane, ofRun, type Place, type Reading, spanIn, storyOf } from './span-in.ts'
import type { TraceOf } from './trace-ids.ts'

export interface SpanReader {
  /** The spans of work that ended with an event. Call it with the events of a Run in order. */
  spansOf(event: Event): Promise<readonly Span[]>
}

/** Reads spans from the rows that events announce. */
export function createSpanReader(reading: Reading): SpanReader {
  const { records } = reading
  const places = new Map<string, Place>()
  /** For events of older versions, which do not say which call of its turn a tool call was. */
  const seen = new Map<string, number>()

  async function placeFor(event: Event): Promise<Place> {
    const place = places.get(event.run) ?? (await placeOf(records, event))
    const { run, end } = place.trace
    places.set(run, isEnd(event) ? { trace: { run, end: end + 1 }, after: event.id } : place)
    return place
  }

  return {
    async spansOf(event) {
      if (event.type === 'model_call') return chatSpans(reading, event, await placeFor(event))
      if (event.type === 'tool') {
        const turn = JSON.stringify([event.run, event.data.lane, event.data.turn])
        const named = event.data.index ?? event.data.observed
        const index = named ?? seen.get(turn) ?? 0
        if (named === undefined) seen.set(turn, index + 1)
        return toolSpans(reading, { event, index, place: await placeFor(event) })
      }
      if (event.type === 'verification') return verificationSpans(records, event, await placeFor(event))
      return isEnd(event) ? endSpans(reading, event, await placeFor(event)) : []
    },
  }
}

/** True for the end of a Run, which closes its trace. */
function isEnd(event: Event): event is EventOfType<'run_state'> {
  return event.type === 'run_state' && endedRunStates.includes(event.data.to)
}

async function placeOf(records: Records, { run, id }: Event): Promise<Place> {
  const moves = await records.recentEvents({ run, types: ['run_state'], before: id, limit: limits.telemetry.moves })
  const ends = moves.filter(isEnd)
  return { trace: { run, end: ends.length }, after: ends[0]?.id ?? 0 }
}

async function chatSpans(
  { records }: Reading,
  { run, story, data: { lane, turn } }: EventOfType<'model_call'>,
  { trace }: Place,
): Promise<readonly Span[]> {
  const call = (await records.modelCalls(run, `${run}/${lane}`)).find((each) => each.turn === turn)
  if (call === undefined) return []
  const start = new Date(call.startedAt)
  return [
    spanIn(trace, {
      id: ['chat', lane, turn],
      parent: ofLane(lane),
      name: `chat ${modelAttributes(call.model)['gen_ai.request.model']}`,
      kind: 'client',
      start,
      end: new Date(start.getTime() + call.durationMs),
      attributes: { ...chatAttributes(call), 'drydock.run.id': run, ...storyOf({ story }), 'drydock.turn': turn },
      failed: call.stop === 'error',
    }),
  ]
}

function chatAttributes(call: ModelCall): Attributes {
  const { lane, usage, costMicroUsd } = call
  return {
    'gen_ai.operation.name': 'chat',
    ...modelAttributes(call.model),
    'gen_ai.conversation.id': lane,
    'gen_ai.response.finish_reasons': [call.stop],
    ...(usage && {
      'gen_ai.usage.input_tokens': usage.input,
      'gen_ai.usage.output_tokens': usage.output,
      'gen_ai.usage.cache_read.input_tokens': usage.cacheRead,
      'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite,
    }),
    ...(costMicroUsd !== null && { 'drydock.cost.usd': { double: costMicroUsd / 1e6 } }),
    ...(call.error !== null && { 'error.type': kindOfError(call.error) }),
  }
}

/** Only the kind of the error, since its text may be content. */
export function kindOfError(error: string): string {
  return /^\w+(?=:)/.exec(error)?.[0] ?? '_OTHER'
}

interface ToolEvent {
  readonly event: EventOfType<'tool'>
  readonly index: number
  readonly place: Place
}

async function toolSpans({ records, content }: Reading, given: ToolEvent): Promise<readonly Span[]> {
  const { run, story, data } = given.event
  const { lane, turn } = data
  const call = await records.toolExecution(`${run}/${lane}`, turn, given.index)
  if (call === null || call.finishedAt === null) return []
  const said = (text: string) => capText(text, limits.telemetry.contentChars)
  return [
    spanIn(given.place.trace, {
      id: ['tool', lane, turn, given.index],
      parent: ofLane(lane),
      name: `execute_tool ${call.tool}`,
      kind: 'internal',
      start: new Date(call.startedAt),
      end: new Date(call.finishedAt),
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': call.tool,
        'gen_ai.tool.type': 'function',
        'gen_ai.tool.call.id': call.callId,
        'gen_ai.conversation.id': call.lane,
        'drydock.run.id': run,
        ...storyOf({ story }),
        'drydock.turn': turn,
        ...(call.success === false && { 'error.type': 'tool_error' }),
        ...(content && {
          'gen_ai.tool.call.arguments': said(JSON.stringify(call.arguments)),
          'gen_ai.tool.call.result': said(call.result ?? ''),
        }),
      },
      failed: call.success === false,
    }),
  ]
}

async function verificationSpans(
  records: Records,
  { run, story, data: { run_id: id } }: EventOfType<'verification'>,
  { trace }: Place,
): Promise<readonly Span[]> {
  const rows = await records.verifications(run)
  const row = rows.find(({ runId }) => runId === id)
  if (row === undefined) return []
  const attempt = rows.filter((each) => each.story === row.story).indexOf(row) + 1
  const start = new Date(row.manifest?.timestamp_start ?? row.finishedAt)
  const end = new Date(row.manifest?.timestamp_end ?? row.finishedAt)
  const about = { 'drydock.run.id': run, ...storyOf({ story }), 'drydock.verification.id': id }
  const whole = spanIn(trace, {
    id: ['verification', id],
    parent: ofRun,
    name: 'verification',
    kind: 'internal',
    start,
    end,
    attributes: {
      ...about,
      'drydock.verdict': row.status,
      'drydock.attempt': attempt,
      'vcs.ref.head.revision': row.commitSha,
      ...(row.status !== 'PASS' && { 'error.type': row.errorType ?? row.status }),
    },
    failed: row.status !== 'PASS',
  })
  return [whole, ...stepSpans(row, { trace, about, start, end })]
}

interface Around {
  readonly trace: TraceOf
  readonly about: Attributes
  readonly start: Date
  readonly end: Date
}

/** The manifest has the duration of each step; they run one after another. */
function stepSpans({ runId, manifest }: VerificationRow, { trace, about, start, end }: Around): readonly Span[] {
  let at = start.getTime()
  return (manifest?.commands_executed ?? []).map(({ name, exit_code: exit, duration_ms: ms, timed_out }, n) => {
    const began = new Date(at)
    at = Math.min(at + ms, end.getTime())
    const failed = exit !== 0
    return spanIn(trace, {
      id: ['step', runId, n],
      parent: ['verification', runId],
      name: `verification_step ${name}`,
      kind: 'internal',
      start: began,
      end: new Date(at),
      attributes: {
        ...about,
        'drydock.step.name': name,
        ...(exit !== null && { 'process.exit.code': exit }),
        ...(failed && { 'error.type': timed_out ? 'timeout' : 'exit_code' }),
      },
      failed,
    })
  })
}
