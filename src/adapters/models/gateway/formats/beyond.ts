import { isObject, type Json, type JsonObject } from '../../../../domain/json.ts'
import { textIn } from '../../answers/json-parts.ts'

/** As servers compare names that do not care for their case. */
function folded(name: string): string {
  return name.toUpperCase().toLowerCase()
}

/**
 * The tool of a request that the provider would run itself, as its search of the web: the agent
 * would reach through it what its sandbox keeps it from. Null where the agent runs all of them.
 */
export function hostedTool(tools: Json | undefined, isOwn: (tool: JsonObject) => boolean): string | null {
  if (tools === undefined || tools === null) return null
  if (!Array.isArray(tools)) return 'tools that are no list'
  const hosted: Json | undefined = tools.find((tool: Json) => !isObject(tool) || !isPlain(tool) || !isOwn(tool))
  if (hosted === undefined) return null
  const name = isObject(hosted) ? (textIn(hosted.type) ?? Object.keys(hosted).join(', ')) : String(hosted)
  return `the tool ${name}`.slice(0, 100)
}

/** Fields that tell whose a tool is. They have one spelling, which every server reads. */
const telling = ['type', 'tools', 'environment']

function isPlain(tool: JsonObject): boolean {
  return Object.keys(tool).every((name) => telling.includes(name) || !telling.includes(folded(name)))
}

/** What the provider would fetch from where the conversation says; null for nothing. */
export function fetchedPart(conversation: Json | undefined): string | null {
  return fetchedIn('content', conversation)
}

/** `name` is that under which the value stands; the items of a list stand under its name. */
function fetchedIn(name: string, value: Json | undefined): string | null {
  if (typeof value === 'string') return isElsewhere(folded(name), value) ? `${name} with an address` : null
  if (Array.isArray(value)) return firstOf(value.map((each: Json) => [name, each]))
  if (!isObject(value)) return null
  const type = textIn(value.type) ?? ''
  const notFetched = /(?:tool_use|_call)$/.test(type)
    ? ofCalls
    : type === 'search_result'
      ? ['source']
      : type === 'text'
        ? ['data']
        : []
  return firstOf(Object.entries(value).filter(([each]) => !neverFetched.includes(each) && !notFetched.includes(each)))
}

function firstOf(entries: readonly (readonly [name: string, value: Json])[]): string | null {
  for (const [name, value] of entries) {
    const found = fetchedIn(name, value)
    if (found !== null) return found
  }
  return null
}

/**
 * Fields that nobody fetches: inputs and answers of tools, and the schemas of their inputs.
 */
const neverFetched = ['args', 'response', 'parameters', 'input_schema', 'tools']
const ofCalls = ['input', 'action', 'operation', 'arguments']

/** These hold places, however they are written. */
const places = ['image_url', 'video_url', 'audio_url', 'file_url', 'document_url', 'url', 'fileuri', 'file_uri']

/** These hold words, of which a place may be one. */
const words = [
  ...['text', 'content', 'name', 'title', 'id', 'call_id', 'tool_call_id', 'tool_use_id', 'arguments', 'input'],
  ...[
    'output',
    'thinking',
    'reasoning',
    'reasoning_content',
    'summary',
    'refusal',
    'query',
    'context',
    'code',
    'stdout',
    'stderr',
  ],
]

/** Data that stands in the request itself has an address, too. */
function isElsewhere(name: string, value: string): boolean {
  if (places.includes(name)) return !/^data:/i.test(value)
  return !words.includes(name) && /^\s*(?:[a-z][a-z\d+.-]*:\/\/|(?:file|gs|s3):)\S*\s*$/i.test(value)
}
