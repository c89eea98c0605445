import type { JsonObject } from '../../../../domain/json.ts'
import type { Format, Told } from './format.ts'
import { openaiError } from './openai-error.ts'
import { bytesOfTexts, capIn, numberIn, objectIn, objectsIn, textIn } from './parts.ts'

/** OpenAI's responses. */
export const openaiResponses: Format = {
  asked(body) {
    return {
      model: textIn(body.model),
      outputTokens: capIn(body.max_output_tokens),
      isStreaming: body.stream === true,
      // Nobody would see what an answer costs that is made in the background.
      beyond: body.background === true ? 'background' : null,
    }
  },
  read() {
    let said = 0
    let hasCalls = false
    let told: Told = { stop: null, usage: null, failure: null }
    return {
      take(part) {
        if (part.object === 'response') told = toldBy(part)
        const type = textIn(part.type) ?? ''
        if (type.endsWith('.delta')) said += bytesOfTexts(part.delta)
        hasCalls ||= isCall(objectIn(part.item))
        if (type === 'error') told = { ...told, failure: part.error ?? part }
        if (/^response\.(completed|incomplete|failed|cancelled)$/.test(type)) told = toldBy(objectIn(part.response))
        if (part.error && type === '') told = { ...told, failure: part.error }
      },
      said: () => said,
      told: () => (told.stop === 'end' && hasCalls ? { ...told, stop: 'calls' } : told),
    }
  },
  error: openaiError,
}

function isCall({ type }: JsonObject): boolean {
  return textIn(type)?.endsWith('_call') === true
}

function toldBy(response: JsonObject): Told {
  const usage = response.usage ? usageOf(objectIn(response.usage)) : null
  switch (response.status) {
    case 'completed': {
      const calls = objectsIn(response.output).some(isCall)
      return { stop: calls ? 'calls' : 'end', usage, failure: null }
    }
    case 'incomplete': {
      const { reason } = objectIn(response.incomplete_details)
      return { stop: reason === 'content_filter' ? 'refused' : 'length', usage, failure: null }
    }
    default:
      return { stop: null, usage, failure: response.error ?? null }
  }
}

function usageOf(usage: JsonObject): Told['usage'] {
  return {
    input: numberIn(usage.input_tokens),
    output: numberIn(usage.output_tokens),
    cacheRead: numberIn(objectIn(usage.input_tokens_details).cached_tokens),
    cacheWrite: undefined,
  }
}
