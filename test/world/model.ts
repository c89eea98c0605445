import type { Json, JsonObject } from '../../src/domain/json.ts'
import type { Model, ModelError, ModelReply, ModelRequest, Script } from '../../src/ports/model.ts'

export type Turn = object
export type Lanes = Readonly<Record<string, readonly Turn[]>>

/** What is said of a turn: calls of tools, a text, or a failure. */
interface Said {
  readonly text?: string
  readonly calls?: readonly { readonly tool: string; readonly input: Json }[]
  readonly usage?: Partial<{ input: number; output: number; cacheRead: number; cacheWrite: number }>
  readonly error?: Partial<ModelError>
}

export interface PlayedModel {
  readonly model: Model
  /** Lanes of the requests that came, in their order. */
  readonly heard: string[]
}

/** Plays lanes, each turn by its number, as a replay file is played. */
export function createPlayedModel(
  id: string,
  {
    lanes,
    script,
    answer = (turn) => turn,
  }: {
    readonly lanes: Lanes
    readonly script?: Script
    /** What is done to a turn before it is answered, which may take its time. */
    readonly answer?: (turn: Turn | undefined, request: ModelRequest) => Turn | undefined | Promise<Turn | undefined>
  },
): PlayedModel {
  const heard: string[] = []
  const model: Model = {
    id,
    ...(script && { script }),
    async reply(request, signal) {
      if (signal.aborted) return failed({ kind: 'interrupted', message: 'The call was aborted.', retryable: true })
      heard.push(request.lane)
      const turn = (await answer(lanes[request.lane]?.[request.turn], request)) as Said | undefined
      if (signal.aborted) return failed({ kind: 'interrupted', message: 'The call was aborted.', retryable: true })
      if (turn === undefined) {
        const has = lanes[request.lane] === undefined ? 'no such lane' : `${lanes[request.lane]?.length} turns of it`
        return failed({
          kind: 'replay_missing',
          message: `There is no turn ${request.turn} for the lane ${request.lane}: it has ${has}.`,
          retryable: false,
        })
      }
      return play(turn, request)
    },
  }
  return { model, heard }
}

function play(turn: Said, request: ModelRequest): ModelReply {
  const usage = turn.usage === undefined ? null : { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...turn.usage }
  if (turn.error !== undefined)
    return {
      stop: 'error',
      error: { kind: 'overloaded', message: 'scripted failure', retryable: true, retryAfterMs: null, ...turn.error },
      usage,
    }
  const calls = (turn.calls ?? []).map(({ tool, input }, index) => {
    const id = `replay_${request.lane.replaceAll(/[^A-Za-z0-9]+/g, '_')}_${request.turn}_${index}`.slice(-64)
    const filled = fill(input, request.facts)
    if (request.tools.some(({ name }) => name === tool)) return { id, tool, input: filled }
    return { id, tool, input: JSON.stringify(filled), invalid: `There is no tool named ${tool}.` }
  })
  return { stop: calls.length > 0 ? 'calls' : 'end', text: turn.text ?? '', calls: calls as never, raw: null, usage }
}

function fill(input: Json, facts: ModelRequest['facts']): Json {
  if (typeof input === 'string')
    return input.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => (name === 'dollar' ? '$' : (facts[name] ?? whole)))
  if (Array.isArray(input)) return input.map((item: Json) => fill(item, facts))
  if (input === null || typeof input !== 'object') return input
  return Object.fromEntries(Object.entries(input as JsonObject).map(([key, value]) => [key, fill(value, facts)]))
}

function failed(error: Omit<ModelError, 'retryAfterMs'>): ModelReply {
  return { stop: 'error', error: { ...error, retryAfterMs: null }, usage: null }
}
