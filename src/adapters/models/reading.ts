import type { wrapLanguageModel } from 'ai'
import type { JsonObject } from '../../domain/json.ts'
import type { ToolCall } from '../../domain/lane/message.ts'
import { limits } from '../../domain/limits.ts'

export type Middleware = Exclude<Parameters<typeof wrapLanguageModel>[0]['middleware'], unknown[]>
type Stream = Awaited<ReturnType<NonNullable<Middleware['wrapStream']>>>['stream']
export type Part = Stream extends ReadableStream<infer P> ? P : never
export type Finish = Extract<Part, { type: 'finish' }>
type CallPart = Extract<Part, { type: 'tool-call' }>

const CUT_NOTE = `\n[cut: the text was longer than ${limits.modelTextChars} characters]`

/** What a stream has said so far, within limits. */
export interface Reading {
  readonly middleware: Middleware
  readonly text: () => string
  readonly calls: readonly ToolCall[]
  readonly finish: () => Finish | null
  /** The first error that came inside the stream. */
  readonly failure: () => unknown
}

export interface Expectations {
  /** The names that a call may have. */
  readonly tools: ReadonlySet<string>
  /** Call ids of the conversation so far. */
  readonly takenIds: ReadonlySet<string>
  /** Makes an id for a call that came without one; the same for the same request. */
  readonly newId: (index: number) => string
}

/**
 * Reads a provider's stream before the SDK does: bounds its text, makes call ids unique, and keeps
 * the input of a call as the model wrote it. What the SDK gets, and later sends back, is what was
 * read here.
 */
export function startReading({ tools, takenIds, newId }: Expectations): Reading {
  const calls: ToolCall[] = []
  const ids = new Set(takenIds)
  let text = ''
  let full = false
  let finish: Finish | null = null
  let failure: unknown = null

  const take = (delta: string): string => {
    if (full) return ''
    full = text.length + delta.length > limits.modelTextChars
    const room = limits.modelTextChars - CUT_NOTE.length - text.length
    const taken = full ? delta.slice(0, Math.max(0, room)).toWellFormed() + CUT_NOTE : delta
    text += taken
    return taken
  }

  const readCall = (part: CallPart): CallPart => {
    const id = uniqueId(part.toolCallId || newId(calls.length), ids)
    ids.add(id)
    const call = toCall(id, part, tools)
    calls.push(call)
    return { ...part, toolCallId: id, input: isObject(call.input) ? part.input || '{}' : '{}' }
  }

  const transform = new TransformStream<Part, Part>({
    transform(part, controller) {
      switch (part.type) {
        case 'stream-start':
          // The SDK prints warnings to the process's stderr.
          return controller.enqueue({ ...part, warnings: [] })
        case 'text-delta':
          return controller.enqueue({ ...part, delta: take(part.delta) })
        case 'tool-input-start':
        case 'tool-input-delta':
        case 'tool-input-end':
          return
        case 'tool-call':
          return controller.enqueue(readCall(part))
        case 'error':
          failure ??= part.error
          return controller.enqueue(part)
        case 'finish':
          finish = part
          return controller.enqueue(part)
        default:
          return controller.enqueue(part)
      }
    },
  })

  return {
    middleware: {
      specificationVersion: 'v4',
      wrapStream: async ({ doStream }) => {
        const result = await doStream()
        return { ...result, stream: result.stream.pipeThrough(transform) }
      },
    },
    text: () => text,
    calls,
    finish: () => finish,
    failure: () => failure,
  }
}

function toCall(id: string, { toolName: tool, input }: CallPart, tools: ReadonlySet<string>): ToolCall {
  if (input.length > limits.modelInputChars) {
    const raw = input.slice(0, limits.modelTextChars).toWellFormed()
    return { id, tool, input: raw, invalid: `The input is longer than ${limits.modelInputChars} characters.` }
  }
  if (!tools.has(tool)) {
    return { id, tool, input, invalid: `There is no tool named ${tool}; there are ${[...tools].join(', ') || 'none'}.` }
  }
  try {
    return { id, tool, input: input.trim() === '' ? {} : JSON.parse(input) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { id, tool, input, invalid: `The input is not JSON: ${why}` }
  }
}

function isObject(input: ToolCall['input']): input is JsonObject {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
}

function uniqueId(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted
  for (let count = 2; ; count++) {
    const id = `${wanted}_${count}`
    if (!taken.has(id)) return id
  }
}
