import type { Json, JsonObject } from '../../domain/json.ts'
import type { Effort } from '../../domain/model-name.ts'
import type { Endpoint } from './endpoint.ts'

/** The fields that are read of a request that the library made. */
interface LibraryRequest extends JsonObject {
  readonly messages: readonly AskedMessage[]
}

interface AskedMessage extends JsonObject {
  readonly role: string
  readonly content: string
}

/**
 * A prompt of at most this many tokens fits into any context, so it need not be checked for a cut.
 */
const SHORT_TOKENS = 1_000
/** A rough average: no tokenizer yields less than half of a text's characters divided by this. */
const CHARS_PER_TOKEN = 4

/**
 * The body in the form that Ollama expects. The library sets the reply's limit in a place that
 * Ollama ignores, disables thinking (without that field the model uses its default), and names the
 * call of a tool's result, but not the tool, which older templates need. `truncate` and `shift`
 * make a prompt that does not fit an error, on servers that support them.
 */
export function ollamaBody(
  body: string,
  { model, settings }: Pick<Endpoint, 'model' | 'settings'>,
  numCtx: number,
): string {
  const { max_output_tokens, temperature, think: _, messages, ...rest } = JSON.parse(body) as LibraryRequest
  const options = {
    num_ctx: numCtx,
    ...(max_output_tokens !== undefined && { num_predict: max_output_tokens }),
    ...(settings.temperature !== null && { temperature: settings.temperature }),
  }
  const think = settings.effort === null ? {} : { think: thinking(model, settings.effort) }
  return JSON.stringify({
    ...rest,
    ...think,
    messages: withToolNames(messages),
    options,
    truncate: false,
    shift: false,
  })
}

/** Only gpt-oss has levels, and it always thinks. Older servers refuse levels for other models. */
function thinking(model: string, effort: Effort): boolean | string {
  if (!model.includes('gpt-oss')) return effort !== 'none'
  if (effort === 'none' || effort === 'minimal') return 'low'
  return effort === 'xhigh' || effort === 'max' ? 'high' : effort
}

function withToolNames(messages: readonly AskedMessage[]): readonly JsonObject[] {
  const names = new Map<Json | undefined, string>()
  return messages.map((message) => {
    for (const call of (message.tool_calls ?? []) as { id: string; function: { name: string } }[]) {
      names.set(call.id, call.function.name)
    }
    const name = message.role === 'tool' ? names.get(message.tool_call_id) : undefined
    return name === undefined ? message : { ...message, tool_name: name }
  })
}

/** The least number of tokens of a request, estimated from the length of its content. */
export function promptTokens(body: string): number {
  const { messages, tools } = JSON.parse(body) as LibraryRequest
  const chars = messages.reduce((sum, message) => sum + message.content.length + lengthOf(message.tool_calls), 0)
  return Math.floor((chars + lengthOf(tools)) / CHARS_PER_TOKEN)
}

function lengthOf(value: Json | undefined): number {
  return value === undefined ? 0 : JSON.stringify(value).length
}

/** True if the server has clearly read fewer tokens than it was sent. */
export function wasCut({ sent, read, numCtx }: { sent: number; read: number; numCtx: number }): boolean {
  return sent > SHORT_TOKENS && (read < sent / 2 || (sent > numCtx && read <= numCtx))
}
