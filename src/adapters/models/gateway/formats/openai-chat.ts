import type { Json, JsonObject } from '../../../../domain/json.ts'
import { bytesOfTexts, capIn, countIn, numberIn, objectIn, objectsIn, textIn } from '../../answers/json-parts.ts'
import { fetchedPart, hostedTool } from './beyond.ts'
import { dearerTier } from './dearer-tier.ts'
import type { Format, ReplyFacts } from './format.ts'
import { openaiError } from './openai-error.ts'

const stops: Readonly<Record<string, ReplyFacts['stop']>> = {
  tool_calls: 'calls',
  function_call: 'calls',
  length: 'length',
  content_filter: 'refused',
}

const names = new Set([
  'model',
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'min_tokens',
  'n',
  'stop',
  'seed',
  'temperature',
  'top_p',
  'top_k',
  'top_a',
  'min_p',
  'typical_p',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'repeat_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'response_format',
  'json_schema',
  'grammar',
  'structured_outputs',
  'guided_json',
  'guided_regex',
  'guided_choice',
  'reasoning',
  'reasoning_effort',
  'reasoning_format',
  'include_reasoning',
  'thinking',
  'enable_thinking',
  'thinking_budget',
  'think',
  'chat_template_kwargs',
  'clear_thinking',
  'disable_reasoning',
  'verbosity',
  'modalities',
  'prediction',
  'store',
  'metadata',
  'user',
  'safety_identifier',
  'service_tier',
  'usage',
  'prompt_cache_key',
  'prompt_cache_retention',
  'cache_prompt',
  'random_seed',
  'safe_prompt',
  'prompt_mode',
])

/** The format of chat completions, used by OpenAI and the servers that copy it. */
export const openaiChat: Format = {
  names,
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
    let stop: ReplyFacts['stop'] = null
    let usage: ReplyFacts['usage'] = null
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

/** The provider's own search, a router's plugins, and fallback models with other prices. */
const ofTheProvider = ['web_search_options', 'plugins', 'models', 'fallbacks']

function beyondIn({ tools, messages, service_tier: tier, ...body }: JsonObject): string | null {
  // A router adds its own web search to any model with this suffix.
  if (textIn(body.model)?.endsWith(':online')) return 'a model that searches the web'
  if (!areTexts(body.modalities)) return 'modalities besides text'
  const found = ofTheProvider.find((name) => body[name])
  if (found !== undefined) return found
  return dearerTier(tier) ?? hostedTool(tools, isOwn) ?? fetchedPart(messages)
}

/** True if the answer can only be text; speech costs many times as much. */
function areTexts(modalities: Json | undefined): boolean {
  return modalities === undefined || modalities === null || JSON.stringify(modalities) === '["text"]'
}

function isOwn({ type }: JsonObject): boolean {
  return type === 'function' || type === 'custom'
}

function usageOf(usage: JsonObject): ReplyFacts['usage'] {
  return {
    input: numberIn(usage.prompt_tokens),
    output: numberIn(usage.completion_tokens),
    cacheRead: numberIn(objectIn(usage.prompt_tokens_details).cached_tokens),
    cacheWrite: undefined,
  }
}
