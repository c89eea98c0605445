import { isObject, type Json, type JsonObject } from '../../../../domain/json.ts'
import { textIn } from '../../answers/json-parts.ts'

/** Normalizes a name like servers that ignore the case of names. */
function folded(name: string): string {
  return name.toUpperCase().toLowerCase()
}

/**
 * The first tool of a request that the provider would run itself, such as a web search, through
 * which the agent could reach what its sandbox blocks. Null if the agent runs all tools.
 */
export function hostedTool(tools: Json | undefined, isOwn: (tool: JsonObject) => boolean): string | null {
  if (tools === undefined || tools === null) return null
  if (!Array.isArray(tools)) return 'tools that are no list'
  const hosted: Json | undefined = tools.find((tool: Json) => !isObject(tool) || !isPlain(tool) || !isOwn(tool))
  if (hosted === undefined) return null
  const name = isObject(hosted) ? (textIn(hosted.type) ?? Object.keys(hosted).join(', ')) : String(hosted)
  return `the tool ${name}`.slice(0, 100)
}

/**
 * Fields that show who runs a tool. They must be spelled exactly, so that every server reads the
 * same.
 */
const telling = ['type', 'tools', 'environment']

function isPlain(tool: JsonObject): boolean {
  return Object.keys(tool).every((name) => telling.includes(name) || !telling.includes(folded(name)))
}

/** The first address in the conversation that the provider would fetch; null if there is none. */
export function fetchedPart(conversation: Json | undefined): string | null {
  return fetchedIn('content', conversation)
}

/** `name` is the key of the value; items of a list have the key of the list. */
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

/** Fields that are never fetched: inputs and answers of tools, and the schemas of their inputs. */
const neverFetched = ['args', 'response', 'parameters', 'input_schema', 'tools']
const ofCalls = ['input', 'action', 'operation', 'arguments']

/** Fields that hold addresses, in any spelling. */
const places = ['image_url', 'video_url', 'audio_url', 'file_url', 'document_url', 'url', 'fileuri', 'file_uri']

/** Fields that hold text, which may be an address. */
const words = [
  'text',
  'content',
  'name',
  'title',
  'id',
  'call_id',
  'tool_call_id',
  'tool_use_id',
  'arguments',
  'input',
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
]

/** Data inside the request has an address, too: a `data:` URL. */
function isElsewhere(name: string, value: string): boolean {
  if (places.includes(name)) return !/^data:/i.test(value)
  return !words.includes(name) && /^\s*(?:[a-z][a-z\d+.-]*:\/\/|(?:file|gs|s3):)\S*\s*$/i.test(value)
}
