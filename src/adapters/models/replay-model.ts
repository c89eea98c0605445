import type { Json, JsonObject } from '../../domain/json.ts'
import type { ToolCall } from '../../domain/lane/message.ts'
import type { Model, ModelError, ModelReply, ModelRequest } from '../../ports/model.ts'
import { oneLine } from './one-line.ts'
import { type ReplayFile, type ReplayTurn, readReplayFile } from './replay-file.ts'

type ReplayCall = NonNullable<Extract<ReplayTurn, { calls?: unknown }>['calls']>[number]

/**
 * Plays back a recorded or written file. The turn is found by lane and number; the content of the
 * request does not matter.
 */
export function createReplayModel({ id, file }: { id: string; file: string }): Model {
  const replay = readReplayFile(file)
  return {
    id,
    script: { human: replay.human ?? [], mergeOrder: replay.merge_order ?? null },
    async reply(request, signal) {
      if (signal.aborted) return failed({ kind: 'interrupted', message: 'The call was aborted.', retryable: true })
      const turn = Object.hasOwn(replay.lanes, request.lane) ? replay.lanes[request.lane]?.[request.turn] : undefined
      return turn ? play(turn, request) : failed({ ...missing(replay, request), kind: 'replay_missing' })
    },
  }
}

function play(turn: ReplayTurn, request: ModelRequest): ModelReply {
  const usage = turn.usage ?? null
  if ('error' in turn) return { stop: 'error', error: turn.error, usage }
  const calls = (turn.calls ?? []).map((call, index) => toCall(call, index, request))
  return { stop: calls.length > 0 ? 'calls' : 'end', text: turn.text ?? '', calls, raw: null, usage }
}

function toCall({ tool, input: template }: ReplayCall, index: number, request: ModelRequest): ToolCall {
  const id = callId(request, index)
  const input = fill(template, request.facts)
  if (request.tools.some(({ name }) => name === tool)) return { id, tool, input }
  return { id, tool, input: JSON.stringify(input), invalid: `There is no tool named ${tool}.` }
}

/** Unique within a lane and equal on every run; other providers accept its characters. */
function callId({ lane, turn }: ModelRequest, index: number): string {
  return `replay_${lane.replaceAll(/[^A-Za-z0-9]+/g, '_')}_${turn}_${index}`.slice(-64)
}

/**
 * Replaces `${name}` by the fact of that name; other names stay as they are, and `${dollar}{name}`
 * gives the literal text `${name}`.
 */
function fill(input: Json, facts: ModelRequest['facts']): Json {
  if (typeof input === 'string') {
    return input.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => {
      if (name === 'dollar') return '$'
      return Object.hasOwn(facts, name) ? (facts[name] ?? whole) : whole
    })
  }
  if (Array.isArray(input)) return input.map((item: Json) => fill(item, facts))
  if (input === null || typeof input !== 'object') return input
  return Object.fromEntries(Object.entries(input as JsonObject).map(([key, value]) => [key, fill(value, facts)]))
}

function missing({ lanes }: ReplayFile, { lane, turn }: ModelRequest) {
  const count = Object.hasOwn(lanes, lane) ? lanes[lane]?.length : undefined
  const has = count === undefined ? 'no such lane' : `${count} turns of it`
  const message = `The replay file has no turn ${turn} for the lane ${lane}: it has ${has}. Its lanes: ${Object.keys(lanes).join(', ') || 'none'}.`
  return { message: oneLine(message), retryable: false }
}

function failed(error: Omit<ModelError, 'retryAfterMs'>): ModelReply {
  return { stop: 'error', error: { ...error, retryAfterMs: null }, usage: null }
}
