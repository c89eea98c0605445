import type { JsonObject } from '../../../../domain/json.ts'
import { bytesOfTexts, capIn, numberIn, objectIn, objectsIn, textIn } from '../../answers/json-parts.ts'
import { fetchedPart, hostedTool } from './beyond.ts'
import { dearerTier } from './dearer-tier.ts'
import type { Format, Refusal, ReplyFacts, Trouble } from './format.ts'

const stops: Readonly<Record<string, ReplyFacts['stop']>> = {
  STOP: 'end',
  MAX_TOKENS: 'length',
  MALFORMED_FUNCTION_CALL: 'end',
  UNEXPECTED_TOOL_CALL: 'end',
  OTHER: 'end',
}

const errors: Readonly<Record<Trouble['kind'], readonly [status: number, name: string]>> = {
  stop: [403, 'PERMISSION_DENIED'],
  unavailable: [503, 'UNAVAILABLE'],
  crowded: [429, 'RESOURCE_EXHAUSTED'],
  not_found: [404, 'NOT_FOUND'],
  bad_request: [400, 'INVALID_ARGUMENT'],
  too_large: [413, 'INVALID_ARGUMENT'],
  bad_gateway: [502, 'UNAVAILABLE'],
  timeout: [504, 'DEADLINE_EXCEEDED'],
}

const names = new Set([
  'contents',
  'systemInstruction',
  'system_instruction',
  'tools',
  'toolConfig',
  'tool_config',
  'labels',
  'model',
  'generationConfig',
  'generation_config',
  'safetySettings',
  'safety_settings',
  'serviceTier',
  'service_tier',
  'cachedContent',
  'cached_content',
  'generateContentRequest',
  'generate_content_request',
])

/** The format of Google's generateContent, which accepts two spellings of each name. */
export const googleGenerate: Format = {
  names,
  asked(body) {
    const configs = [objectIn(body.generationConfig), objectIn(body.generation_config)]
    const cap = capIn(...configs.flatMap((config) => [config.maxOutputTokens, config.max_output_tokens]))
    const count = capIn(...configs.flatMap((config) => [config.candidateCount, config.candidate_count])) ?? 1
    return {
      model: null,
      outputTokens: cap && cap * count,
      isStreaming: false,
      refersBack: Boolean(body.cachedContent ?? body.cached_content),
      beyond: beyondIn(body),
    }
  },
  read() {
    let said = 0
    let stop: ReplyFacts['stop'] = null
    let hasCalls = false
    let usage: ReplyFacts['usage'] = null
    return {
      take(part) {
        // Each chunk reports the total so far.
        if (part.usageMetadata) usage = usageOf(objectIn(part.usageMetadata))
        if (objectIn(part.promptFeedback).blockReason) stop = 'refused'
        for (const { content, finishReason } of objectsIn(part.candidates)) {
          const reason = textIn(finishReason)
          if (reason !== null) stop = stops[reason] ?? 'refused'
          for (const { text, functionCall } of objectsIn(objectIn(content).parts)) {
            hasCalls ||= functionCall !== undefined
            said += bytesOfTexts(text) + bytesOfTexts(functionCall)
          }
        }
      },
      said: () => said,
      told: () => ({ stop: stop === 'end' && hasCalls ? 'calls' : stop, usage: stop && usage }),
    }
  },
  error({ kind, message }): Refusal {
    const [code, status] = errors[kind]
    return { status: code, body: { error: { code, message, status } } }
  },
}

/** A request for a count may contain the actual request inside. */
function beyondIn(body: JsonObject): string | null {
  const requests = [body, objectIn(body.generateContentRequest), objectIn(body.generate_content_request)]
  for (const { tools, contents, serviceTier, service_tier: tier, ...rest } of requests) {
    const configs = [objectIn(rest.generationConfig), objectIn(rest.generation_config)]
    const modalities = configs.flatMap((config) => [config.responseModalities, config.response_modalities])
    // Images and speech cost many times as much as text.
    if (!modalities.every((each) => /^(?:undefined|null|\["text"\])$/i.test(`${JSON.stringify(each)}`)))
      return 'modalities besides text'
    const told = [contents, rest.systemInstruction, rest.system_instruction].map((each) => each ?? null)
    const found = dearerTier(serviceTier) ?? dearerTier(tier) ?? hostedTool(tools, isOwn) ?? fetchedPart(told)
    if (found !== null) return found
  }
  return null
}

function isOwn(tool: JsonObject): boolean {
  return Object.keys(tool).every((name) => name === 'functionDeclarations' || name === 'function_declarations')
}

function usageOf(counts: JsonObject): ReplyFacts['usage'] {
  const sum = (...names: readonly string[]) => {
    const known = names.flatMap((name) => numberIn(counts[name]) ?? [])
    return known.length === 0 ? undefined : known.reduce((a, b) => a + b)
  }
  const input = sum('promptTokenCount', 'toolUsePromptTokenCount')
  const total = numberIn(counts.totalTokenCount)
  // Google omits a count of 0.
  const rest = input === undefined || total === undefined ? undefined : total - input
  return {
    input,
    output: sum('candidatesTokenCount', 'thoughtsTokenCount') ?? rest,
    cacheRead: numberIn(counts.cachedContentTokenCount),
    cacheWrite: undefined,
  }
}
