import { isObject, parsedJson } from '../../domain/json.ts'
import { lineSplitter } from '../../domain/line-splitter.ts'
import { objectIn } from './answers/json-parts.ts'
import { EmptyAnswer, ProviderFailure, ReplyCut } from './answers/provider-failure.ts'
import type { AnswerPart } from './answers/read-parts.ts'
import { errorIn, wordsIn } from './answers/told-error.ts'

/** Facts of an answer's last line that the library changes or drops. */
export interface Ending {
  readonly reason: string | null
  readonly promptTokens: number | null
  readonly replyTokens: number | null
}

interface Line {
  readonly done?: boolean
  readonly done_reason?: string
  readonly prompt_eval_count?: number
  readonly eval_count?: number
  readonly message?: { readonly content?: string; readonly tool_calls?: readonly LineCall[] | null }
}

interface LineCall {
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown }
}

/**
 * Converts the lines of an answer to a form that the library reads completely. An error line, a
 * line that is not JSON, and an answer without its last line end the stream with an error: the
 * library would print the first two, and take the third for complete.
 */
export function readAnswer(body: ReadableStream<Uint8Array>, onEnd: (ending: Ending) => void) {
  let passed = 0
  let ended = false
  /** An answer of another kind: a web page, or JSON spread over several lines. */
  let other: string[] | null = null

  const take = (text: string, controller: TransformStreamDefaultController<string>) => {
    if (other !== null) return void other.push(text)
    if (text.trim() === '') return
    const json = parsedJson(text)
    if (json === undefined && passed === 0) {
      other = [text]
      return
    }
    read({ text, json, event: '', isStray: false }, controller)
  }

  const read = (part: AnswerPart, controller: TransformStreamDefaultController<string>) => {
    const told = errorIn(part) ?? wordsIn(part)
    if (told !== null) return controller.error(new ProviderFailure(told, { isWhole: passed === 0 }))
    const parsed = objectIn(part.json) as Line
    passed += 1
    const { message = {}, ...said } = parsed
    const others = { model: '', created_at: '', ...said }
    const whole = { role: 'assistant', ...message, content: message.content ?? '', tool_calls: callsOf(message) }
    if (!parsed.done) return controller.enqueue(lineOf({ ...others, done: false, message: whole }))
    ended = true
    onEnd({
      reason: parsed.done_reason ?? null,
      promptTokens: parsed.prompt_eval_count ?? null,
      replyTokens: parsed.eval_count ?? null,
    })
    // The library ends the text at the last line before it reads that line's content.
    controller.enqueue(lineOf({ ...others, done: false, message: whole }))
    controller.enqueue(lineOf({ ...others, message: { role: 'assistant', content: '' } }))
  }

  let hear: (text: string) => void = () => undefined
  const lines = new TransformStream<string, string>({
    start(controller) {
      const onLine = (line: string) => take(line, controller)
      hear = lineSplitter({ maxChars: Number.POSITIVE_INFINITY, onLine, onOverflow: () => undefined })
    },
    transform: (chunk) => hear(chunk),
    flush(controller) {
      hear('\n')
      if (other !== null) {
        const text = other.join('\n')
        read({ text, json: parsedJson(text), event: '', isStray: false }, controller)
      }
      if (ended) return
      if (passed === 0) controller.error(new EmptyAnswer())
      else controller.error(new ReplyCut())
    },
  })
  return body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(lines)
    .pipeThrough(new TextEncoderStream())
}

/** The library would drop a whole line if it contains a call that it cannot read. */
function callsOf({ tool_calls: calls }: NonNullable<Line['message']>): readonly object[] {
  return (calls ?? []).map((call) => {
    const { name, arguments: input } = call.function ?? {}
    const readable = isObject(input) ? input : input == null ? {} : { input }
    return { ...call, function: { name: textOf(name ?? ''), arguments: readable } }
  })
}

/** Adds to a refusal what the user can do about it. */
export function withOllamaAdvice({ told, refusal }: ProviderFailure, model: string): ProviderFailure {
  return new ProviderFailure({ ...told, message: withAdvice(told.message, model) }, { refusal })
}

function withAdvice(message: string, model: string): string {
  if (/not found/.test(message)) return `${message} (get it with: ollama pull ${model})`
  if (/does not support tools/.test(message)) {
    return `${message} (choose a model that does: drydock doctor lists those of this machine)`
  }
  return message
}

function lineOf(line: object): string {
  return `${JSON.stringify(line)}\n`
}

function textOf(error: unknown): string {
  return typeof error === 'string' ? error : JSON.stringify(error)
}
