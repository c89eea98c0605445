import type { Json, JsonObject } from '../../../../domain/json.ts'
import { objectIn, objectsIn, textIn } from '../../answers/json-parts.ts'

/**
 * The tool of a request that the provider would run itself, as its search of the web: the agent
 * would reach through it what its sandbox keeps it from. Null where the agent runs all of them.
 */
export function hostedTool(tools: Json | undefined, isOwn: (tool: JsonObject) => boolean): string | null {
  const hosted = objectsIn(tools).find((tool) => !isOwn(tool))
  if (hosted === undefined) return null
  return `the tool ${textIn(hosted.type) ?? Object.keys(hosted).join(', ')}`.slice(0, 100)
}

/** What the provider would fetch from where the conversation says; null for nothing. */
export function fetchedPart(conversation: Json | undefined): string | null {
  if (Array.isArray(conversation)) return firstOf(conversation as readonly Json[])
  if (typeof conversation !== 'object' || conversation === null) return null
  const { input, args, response, ...parts } = conversation as JsonObject
  for (const [name, value] of Object.entries(parts))
    if (places.has(name) && isElsewhere(value)) return `${name} with an address`
  // What a model has called a tool with, and what a tool has answered, is nothing to be fetched.
  const isCall = /tool_use$/.test(textIn(parts.type) ?? '')
  return firstOf([...Object.values(parts), ...(isCall ? [] : [input ?? null])])
}

function firstOf(values: readonly Json[]): string | null {
  for (const value of values) {
    const found = fetchedPart(value)
    if (found !== null) return found
  }
  return null
}

const places = new Set(['image_url', 'video_url', 'audio_url', 'file_url', 'url', 'fileUri', 'file_uri'])

/** Data that stands in the request itself has an address, too. */
function isElsewhere(value: Json | undefined): boolean {
  const place = textIn(value) ?? textIn(objectIn(value).url)
  return place !== null && !/^data:/i.test(place)
}
