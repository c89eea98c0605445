import type { JsonObject } from '../../../../domain/json.ts'
import { fetchedPart, hostedTool } from './beyond.ts'
import { dearerTier } from './dearer-tier.ts'
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
      refersBack: refersBack(body),
      beyond: beyondIn(body),
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

function refersBack({ previous_response_id: previous, conversation, input }: JsonObject): boolean {
  return Boolean(previous ?? conversation) || objectsIn(input).some(({ type }) => type === 'item_reference')
}

function beyondIn({ background, tools, input, service_tier: tier }: JsonObject): string | null {
  // Nobody would see what an answer costs that is made in the background.
  if (background === true) return 'background'
  return dearerTier(tier) ?? hostedTool(tools, isOwn) ?? fetchedPart(input)
}

const ownTools = ['function', 'custom', 'local_shell', 'apply_patch']

/** A namespace holds tools; a shell may be a container of the provider's. */
function isOwn({ type, tools, environment }: JsonObject): boolean {
  if (type === 'namespace') return hostedTool(tools, isOwn) === null
  if (type === 'shell') return objectIn(environment).type === 'local'
  return ownTools.includes(textIn(type) ?? '')
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
