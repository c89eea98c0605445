import type { Json, JsonObject } from '../../../../domain/json.ts'
import { bytesOfTexts, capIn, numberIn, objectIn, textIn } from '../../answers/json-parts.ts'
import { fetchedPart, hostedTool } from './beyond.ts'
import { dearerTier } from './dearer-tier.ts'
import type { Format, Refusal, ReplyFacts, Trouble } from './format.ts'

const stops: Readonly<Record<string, ReplyFacts['stop']>> = {
  tool_use: 'calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refused',
}

const errors: Readonly<Record<Trouble['kind'], readonly [status: number, type: string]>> = {
  stop: [402, 'billing_error'],
  unavailable: [529, 'overloaded_error'],
  crowded: [429, 'rate_limit_error'],
  not_found: [404, 'not_found_error'],
  bad_request: [400, 'invalid_request_error'],
  too_large: [413, 'request_too_large'],
  bad_gateway: [502, 'api_error'],
  timeout: [504, 'timeout_error'],
}

const names = new Set([
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'max_tokens',
  'stream',
  'stop_sequences',
  'metadata',
  'temperature',
  'top_p',
  'top_k',
  'thinking',
  'output_config',
  'output_format',
  'context_management',
  'cache_control',
  'service_tier',
  'speed',
  'inference_geo',
  'container',
  'mcp_servers',
])

/** The format of Anthropic's Messages API. */
export const anthropicMessages: Format = {
  names,
  asked(body) {
    return {
      model: textIn(body.model),
      outputTokens: capIn(body.max_tokens),
      isStreaming: body.stream === true,
      refersBack: false,
      beyond: beyondIn(body),
    }
  },
  read() {
    let said = 0
    let stop: ReplyFacts['stop'] = null
    let counts: JsonObject = {}
    const stopped = (reason: string | null) => {
      if (reason !== null) stop = stops[reason] ?? 'end'
    }
    return {
      take(part) {
        switch (part.type) {
          case 'message_start':
            counts = objectIn(objectIn(part.message).usage)
            break
          case 'content_block_delta':
            said += bytesOfTexts(part.delta)
            break
          case 'message_delta':
            counts = { ...counts, ...largerIn(objectIn(part.usage), counts) }
            stopped(textIn(objectIn(part.delta).stop_reason))
            break
          case 'message':
            counts = objectIn(part.usage)
            stopped(textIn(part.stop_reason))
            break
        }
      },
      said: () => said,
      // Until its end the answer reports the input tokens, but hardly any output tokens.
      told: () => ({ stop, usage: stop === null ? null : usageOf(counts) }),
    }
  },
  error({ kind, message }): Refusal {
    const [status, type] = errors[kind]
    return { status, body: { type: 'error', error: { type, message } } }
  },
}

function beyondIn(body: JsonObject): string | null {
  const {
    mcp_servers: servers,
    container,
    speed,
    service_tier: tier,
    tools,
    messages,
    system,
    inference_geo: geo,
  } = body
  if (Array.isArray(servers) && servers.length > 0) return 'mcp_servers'
  if (container) return 'container'
  // Processing in a particular region costs more.
  if (geo !== undefined && geo !== null && geo !== 'global') return 'inference_geo'
  const told = [messages, system].map((each) => each ?? null)
  return dearerTier(speed) ?? dearerTier(tier) ?? hostedTool(tools, isOwn) ?? fetchedPart(told)
}

/**
 * True for tools with their own schema, tools that the agent runs with a schema of Anthropic, and
 * the tool search.
 */
function isOwn({ type }: JsonObject): boolean {
  return /^(custom|(bash|text_editor|computer|memory)_\d+|tool_search_tool_\w+)$/.test(textIn(type) ?? 'custom')
}

/** Each count is a running total, but some servers send 0 for values that they reported before. */
function largerIn(counts: JsonObject, before: JsonObject): JsonObject {
  const isLarger = ([name, value]: [string, Json]) => (numberIn(value) ?? -1) > (numberIn(before[name]) ?? -1)
  return Object.fromEntries(Object.entries(counts).filter(isLarger))
}

/** `input_tokens` excludes tokens written to the cache and read from it. */
function usageOf(counts: JsonObject): ReplyFacts['usage'] {
  const cacheRead = numberIn(counts.cache_read_input_tokens)
  const cacheWrite = numberIn(counts.cache_creation_input_tokens)
  const rest = numberIn(counts.input_tokens)
  const input = rest === undefined ? undefined : rest + (cacheRead ?? 0) + (cacheWrite ?? 0)
  return { input, output: numberIn(counts.output_tokens), cacheRead, cacheWrite }
}
