import type { JsonObject } from '../../../../domain/json.ts'
import { bytesOfTexts, capIn, countIn, numberIn, objectIn, objectsIn, textIn } from '../../answers/json-parts.ts'
import { fetchedPart, hostedTool } from './beyond.ts'
import { dearerTier } from './dearer-tier.ts'
import type { Format, Told } from './format.ts'
import { openaiError } from './openai-error.ts'

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
    return {
      take(part) {
        if (part.usage) usage = usageOf(objectIn(part.usage))
        for (const choice of objectsIn(part.choices)) {
          said += bytesOfTexts(choice.delta)
          const reason = textIn(choice.finish_reason)
          if (reason !== null) stop = stops[reason] ?? 'end'
        }
      },
      said: () => said,
      told: () => ({ stop, usage }),
    }
  },
  error: openaiError,
}

/** Its own search, what a router adds, and models that it may take instead at another price. */
const ofTheProvider = ['web_search_options', 'plugins', 'models', 'fallbacks']

function beyondIn({ tools, messages, service_tier: tier, ...body }: JsonObject): string | null {
  const found = ofTheProvider.find((name) => body[name])
  if (found !== undefined) return found
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
