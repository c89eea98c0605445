import type { Json, JsonObject } from '../../../domain/json.ts'

/** The values of a replay file's placeholders at the time of a call; null for unknown values. */
export interface KnownFacts {
  readonly coder_id: string | null
  readonly sha: string | null
  readonly run_id: string | null
}

/**
 * The input of a call, with placeholders for values that differ in every Run. Text that looks like
 * a placeholder is escaped.
 */
export function recordedInput(input: Json, facts: KnownFacts): Json {
  if (typeof input === 'string') return recordedText(input, facts)
  if (Array.isArray(input)) return input.map((item: Json) => recordedInput(item, facts))
  if (input === null || typeof input !== 'object') return input
  const entries = Object.entries(input as JsonObject)
  return Object.fromEntries(entries.map(([key, value]) => [key, recordedInput(value, facts)]))
}

function recordedText(text: string, facts: KnownFacts): string {
  const escaped = text.replaceAll(/\$\{(coder_id|sha|run_id|dollar)\}/g, '$${dollar}{$1}')
  return Object.entries(facts).reduce(
    (rest, [name, value]: [string, string | null]) => (value ? rest.replaceAll(value, () => `\${${name}}`) : rest),
    escaped,
  )
}
