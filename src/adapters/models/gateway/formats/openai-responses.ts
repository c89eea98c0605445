import type { Json, JsonObject } from '../../../../domain/json.ts'
import { bytesOfTexts, capIn, numberIn, objectIn, objectsIn, textIn } from '../../answers/json-parts.ts'
import { fetchedPart, hostedTool } from './beyond.ts'
import { dearerTier } from './dearer-tier.ts'
import type { Format, ReplyFacts } from './format.ts'
import { openaiError } from './openai-error.ts'

const names = new Set([
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_tool_calls',
  'stream',
  'stream_options',
  'max_output_tokens',
  'temperature',
  'top_p',
  'top_logprobs',
  'reasoning',
  'text',
  'include',
  'store',
  'metadata',
  'client_metadata',
  'user',
  'safety_identifier',
  'service_tier',
  'truncation',
  'previous_response_id',
  'conversation',
  'context_management',
  'background',
  'prompt',
  'prompt_cache_key',
  'prompt_cache_retention',
])

/** The format of OpenAI's Responses API. */
export const openaiResponses: Format = {
  names,
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
    let told: ReplyFacts = { stop: null, usage: null }
    return {
      take(part) {
        if (part.object === 'response') told = toldBy(part)
        const type = textIn(part.type) ?? ''
        if (type.endsWith('.delta')) said += bytesOfTexts(part.delta)
        hasCalls ||= isCall(objectIn(part.item))
        if (/^response\.(completed|incomplete|failed|cancelled)$/.test(type)) told = toldBy(objectIn(part.response))
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

function beyondIn({ background, prompt, tools, input, service_tier: tier }: JsonObject): string | null {
  // The costs of a background answer would not be seen here.
  if (background === true) return 'background'
  // A stored prompt may have its own tools, and accepts files as variables.
  if (prompt) return 'prompt'
  return dearerTier(tier) ?? hostedTool(tools, isOwn) ?? loadedTool(input) ?? fetchedPart(input)
}

/** Looks for tools that the answer to a tool search would add. */
function loadedTool(input: Json | undefined): string | null {
  for (const { tools } of objectsIn(input)) {
    const found = hostedTool(tools, isOwn)
    if (found !== null) return found
  }
  return null
}

const ownTools = ['function', 'custom', 'local_shell', 'apply_patch']

/** A namespace contains tools, and a shell may be a container at the provider. */
function isOwn({ type, tools, environment }: JsonObject): boolean {
  if (type === 'namespace') return hostedTool(tools, isOwn) === null
  if (type === 'shell') return objectIn(environment).type === 'local'
  return ownTools.includes(textIn(type) ?? '')
}

function isCall({ type }: JsonObject): boolean {
  return textIn(type)?.endsWith('_call') === true
}

function toldBy(response: JsonObject): ReplyFacts {
  const usage = response.usage ? usageOf(objectIn(response.usage)) : null
  switch (response.status) {
    case 'completed': {
      const calls = objectsIn(response.output).some(isCall)
      return { stop: calls ? 'calls' : 'end', usage }
    }
    case 'incomplete': {
      const { reason } = objectIn(response.incomplete_details)
      return { stop: reason === 'content_filter' ? 'refused' : 'length', usage }
    }
    default:
      return { stop: null, usage }
  }
}

function usageOf(usage: JsonObject): ReplyFacts['usage'] {
  return {
    input: numberIn(usage.input_tokens),
    output: numberIn(usage.output_tokens),
    cacheRead: numberIn(objectIn(usage.input_tokens_details).cached_tokens),
    cacheWrite: undefined,
  }
}
