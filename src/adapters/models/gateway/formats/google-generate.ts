import type { JsonObject } from '../../../../domain/json.ts'
import { fetchedPart, hostedTool } from './beyond.ts'
import type { Format, Refusal, Told, Trouble } from './format.ts'
import { bytesOfTexts, capIn, countIn, numberIn, objectIn, objectsIn, textIn } from './parts.ts'

const stops: Readonly<Record<string, Told['stop']>> = {
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

/** Google's generateContent. It takes each name in two spellings. */
export const googleGenerate: Format = {
  asked(body) {
    const config = objectIn(body.generationConfig ?? body.generation_config)
    const cap = capIn(config.maxOutputTokens, config.max_output_tokens)
    return {
      model: null,
      outputTokens: cap && cap * Math.max(countIn(config.candidateCount), countIn(config.candidate_count)),
      isStreaming: false,
      refersBack: false,
      beyond: hostedTool(body.tools, isOwn) ?? fetchedPart(body.contents),
    }
  },
  read() {
    let said = 0
    let stop: Told['stop'] = null
    let hasCalls = false
    let usage: Told['usage'] = null
    let failure: unknown = null
    return {
      take(part) {
        failure = part.error ?? failure
        // Each chunk counts all until then.
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
      told: () => ({ stop: stop === 'end' && hasCalls ? 'calls' : stop, usage: stop && usage, failure }),
    }
  },
  error({ kind, message }): Refusal {
    const [code, status] = errors[kind]
    return { status: code, body: { error: { code, message, status } } }
  },
}

function isOwn(tool: JsonObject): boolean {
  return Object.keys(tool).every((name) => name === 'functionDeclarations' || name === 'function_declarations')
}

function usageOf(counts: JsonObject): Told['usage'] {
  const sum = (...names: readonly string[]) => {
    const known = names.flatMap((name) => numberIn(counts[name]) ?? [])
    return known.length === 0 ? undefined : known.reduce((a, b) => a + b)
  }
  const input = sum('promptTokenCount', 'toolUsePromptTokenCount')
  const total = numberIn(counts.totalTokenCount)
  // It leaves a count of 0 out.
  const rest = input === undefined || total === undefined ? undefined : total - input
  return {
    input,
    output: sum('candidatesTokenCount', 'thoughtsTokenCount') ?? rest,
    cacheRead: numberIn(counts.cachedContentTokenCount),
    cacheWrite: undefined,
  }
}
