import { isObject, type Json } from '../../domain/json.ts'
import type { ToolCall } from '../../domain/lane/message.ts'
import { limits } from '../../domain/limits.ts'
import { providerName } from '../../domain/mcp/provider-name.ts'
import { type KnownTool, repairCall } from '../../domain/reply/repair-call.ts'
import type { StreamPart } from './language-model.ts'

export type Finish = Extract<StreamPart, { type: 'finish' }>
type CallPart = Extract<StreamPart, { type: 'tool-call' }>
type Metadata = CallPart['providerMetadata']

const CUT_NOTE = `\n[cut: the text was longer than ${limits.modelTextChars} characters]`

/** The content of a stream so far, within limits. */
export interface Reading {
  readonly take: (part: StreamPart) => void
  readonly text: () => string
  readonly calls: readonly ToolCall[]
  readonly finish: () => Finish | null
  /**
   * The whole reply in the form that the provider expects in the next request: its texts, its
   * reasoning with the signature, and its calls.
   */
  readonly content: () => Json
  /** The first error inside the stream. */
  readonly failure: () => unknown
}

export interface Expectations {
  /** The tools that can be called, under the names that the provider received. */
  readonly tools: readonly KnownTool[]
  /** The tool of a provider's name; the name itself if there is no such tool. */
  readonly toolNamed: (name: string) => string
  /** Call ids of the conversation so far. */
  readonly takenIds: ReadonlySet<string>
  /** Makes an id for a call without a usable one. Equal requests give equal ids. */
  readonly newId: (index: number) => string
}

/** A text of a reply, or its reasoning, as far as it has arrived. */
interface TextPart {
  readonly type: 'text' | 'reasoning'
  text: string
  providerOptions: Metadata
}

/**
 * Reads a provider's stream: limits its text, makes call ids unique, and keeps the input of a call
 * as the model wrote it. The next request sends back exactly what was read here.
 */
export function startReading({ tools, toolNamed, takenIds, newId }: Expectations): Reading {
  const calls: ToolCall[] = []
  const content: (TextPart | Record<string, unknown>)[] = []
  const opened = new Map<string, TextPart>()
  const ids = new Set(takenIds)
  let text = ''
  let full = false
  let finish: Finish | null = null
  let failure: unknown = null

  const bounded = (delta: string): string => {
    if (full) return ''
    full = text.length + delta.length > limits.modelTextChars
    const room = limits.modelTextChars - CUT_NOTE.length - text.length
    const taken = full ? delta.slice(0, Math.max(0, room)).toWellFormed() + CUT_NOTE : delta
    text += taken
    return taken
  }

  // Texts and reasoning number their ids separately.
  const open = (
    type: TextPart['type'],
    { id, providerMetadata }: { id: string; providerMetadata?: Metadata },
  ): void => {
    const spoken = { type, text: '', providerOptions: providerMetadata }
    opened.set(`${type} ${id}`, spoken)
    content.push(spoken)
  }

  const add = (type: TextPart['type'], part: { id: string; providerMetadata?: Metadata }, delta: string): void => {
    const spoken = opened.get(`${type} ${part.id}`)
    if (!spoken) {
      failure ??= new Error(`the reply went on with a ${type} that it had not begun`)
      return
    }
    spoken.text += delta
    spoken.providerOptions = part.providerMetadata ?? spoken.providerOptions
  }

  /** A model may write a tool's displayed name in place of the name that the provider received. */
  const writtenName = (name: string): string => {
    const portable = providerName(name)
    return tools.some((tool) => tool.name === portable) ? portable : name
  }

  const readCall = (part: CallPart): void => {
    const id = uniqueId(usable(part.toolCallId) ?? newId(calls.length), ids)
    ids.add(id)
    const call = repairCall({ tool: writtenName(part.toolName), input: part.input }, tools)
    calls.push({ ...call, id, tool: toolNamed(call.tool) })
    const { providerExecuted, providerMetadata: providerOptions } = part
    const input = isObject(call.input) ? call.input : {}
    content.push({ type: 'tool-call', toolCallId: id, toolName: call.tool, input, providerExecuted, providerOptions })
  }

  const take = (part: StreamPart): void => {
    switch (part.type) {
      case 'text-start':
        open('text', part)
        break
      case 'text-delta':
        add('text', part, bounded(part.delta))
        break
      case 'text-end':
        add('text', part, '')
        break
      case 'reasoning-start':
        open('reasoning', part)
        break
      case 'reasoning-delta':
        add('reasoning', part, part.delta)
        break
      case 'reasoning-end':
        add('reasoning', part, '')
        break
      case 'tool-call':
        readCall(part)
        break
      case 'custom':
        content.push({ type: 'custom', kind: part.kind, providerOptions: part.providerMetadata })
        break
      case 'error':
        failure ??= part.error
        break
      case 'finish':
        finish = part
        break
      default:
        // Sources, files and partial calls are not used.
        break
    }
  }

  return {
    take,
    text: () => text,
    calls,
    finish: () => finish,
    content: () => toJson(content.filter(says)),
    failure: () => failure,
  }
}

/**
 * Anthropic refuses a blank text in the history. A text with a signature of the provider does not
 * count as blank.
 */
function says({ type, text, providerOptions }: TextPart | Record<string, unknown>): boolean {
  return type !== 'text' || String(text).trim() !== '' || providerOptions !== undefined
}

/** Drops undefined values, as storing it would. */
function toJson(content: readonly object[]): Json {
  return JSON.parse(JSON.stringify([{ role: 'assistant', content }]))
}

/** Null for an id that a provider would not accept in the history. */
function usable(id: string): string | null {
  return /^[\x21-\x7e]{1,60}$/.test(id) ? id : null
}

function uniqueId(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted
  for (let count = 2; ; count++) {
    const id = `${wanted}_${count}`
    if (!taken.has(id)) return id
  }
}
