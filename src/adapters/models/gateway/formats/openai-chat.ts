import type { JsonObject } from '../../../../domain/json.ts'
import { fetchedPart, hostedTool } from './beyond.ts'
import { dearerTier } from './dearer-tier.ts'
import type { Format, Told } from './format.ts'
import { openaiError } from './openai-error.ts'
import { bytesOfTexts, capIn, countIn, numberIn, objectIn, objectsIn, textIn } from './parts.ts'

const stops: Readonly<Record<string, Told['stop']>> = {
  tool_calls: 'calls',
  function_call: 'calls',
  length: 'length',
  content_filter: 'refused',
}

/** Chat completions, as OpenAI and the servers that copy it speak. */
export const openaiChat: Format = {
  asked(body) {
    const cap = capIn(body.max_tokens, body.max_completion_tokens)
    return {
      model: textIn(body.model),
      outputTokens: cap && cap * countIn(body.n),
      isStreaming: body.stream === true,
      refersBack: false,
      beyond: beyondIn(body),
    }
  },
  read() {
    let said = 0
    let stop: Told['stop'] = null
    let usage: Told['usage'] = null
    let failure: unknown = null
    return {
      take(part) {
        failure = part.error ?? failure
        if (part.usage) usage = usageOf(objectIn(part.usage))
        for (const choice of objectsIn(part.choices)) {
          said += bytesOfTexts(choice.delta)
          const reason = textIn(choice.finish_reason)
          if (reason !== null) stop = stops[reason] ?? 'end'
        }
      },
      said: () => said,
      told: () => ({ stop, usage, failure }),
    }
  },
  error: openaiError,
}

function beyondIn({ web_search_options: search, tools, messages, service_tier: tier }: JsonObject): string | null {
  if (search) return 'web_search_options'
  return dearerTier(tier) ?? hostedTool(tools, isOwn) ?? fetchedPart(messages)
}

function isOwn({ type }: JsonObject): boolean {
  return type === 'function' || type === 'custom'
}

function usageOf(usage: JsonObject): Told['usage'] {
  return {
    input: numberIn(usage.prompt_tokens),
    output: numberIn(usage.completion_tokens),
    cacheRead: numberIn(objectIn(usage.prompt_tokens_details).cached_tokens),
    cacheWrite: undefined,
  }
}
