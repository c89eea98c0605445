import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { isObject, type Json, type JsonObject, parsedJson } from '../../../domain/json.ts'
import type { Redact } from '../../../domain/secrets/redact.ts'
import type { Trouble } from './formats/format.ts'
import { oddityOf } from './json-oddity.ts'

export interface RequestBody {
  /** The bytes as received, with secrets redacted. */
  readonly bytes: Buffer
  readonly json: JsonObject
}

/**
 * Reads the body to its end, or returns the reason why it cannot be passed on. Rejects if the
 * connection breaks.
 */
export async function readBody(
  request: IncomingMessage,
  { redact, mostBytes }: { readonly redact: Redact; readonly mostBytes: number },
): Promise<RequestBody | Trouble> {
  const chunks: Buffer[] = []
  let size = 0
  // Even a body that is too large is read to its end, since clients read the answer only after they
  // have written everything.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= mostBytes) chunks.push(chunk)
    else chunks.length = 0
  }
  if (size > mostBytes) return { kind: 'too_large', message: `The request has over ${mostBytes} bytes.` }
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') return bad('The request is compressed; the gateway takes it as it is only.')
  const bytes = Buffer.concat(chunks)
  // Parsers replace invalid bytes differently.
  if (!isUtf8(bytes)) return bad('The body is no UTF-8.')
  const text = bytes.toString()
  const json = parsed(text)
  if (json === null) return bad('The body is no JSON object.')
  const oddity = oddityOf(text, deepest)
  if (oddity !== null) return bad(oddities[oddity])
  const clean = redact(text)
  if (clean === text) return { bytes, json }
  const cleanJson = parsed(clean) ?? redactedIn(json, redact)
  return { bytes: Buffer.from(parsed(clean) === null ? JSON.stringify(cleanJson) : clean), json: cleanJson }
}

/** The body with only these names; unchanged byte for byte if it has no others. */
export function withNames({ bytes, json }: RequestBody, names: ReadonlySet<string>): RequestBody {
  const known = Object.entries(json).filter(([name]) => names.has(name))
  if (known.length === Object.keys(json).length) return { bytes, json }
  const left = Object.fromEntries(known)
  return { bytes: Buffer.from(JSON.stringify(left)), json: left }
}

/** The deepest nesting, beyond what any agent sends. */
const deepest = 500

const oddities = {
  key_twice: 'An object in the body names a key twice.',
  too_deep: 'The body is nested too deeply.',
} as const

function bad(message: string): Trouble {
  return { kind: 'bad_request', message }
}

function parsed(text: string): JsonObject | null {
  const json = parsedJson(text)
  return isObject(json) ? json : null
}

/** Redacts string by string, for a body that would otherwise no longer be JSON. */
function redactedIn<Value extends Json>(value: Value, redact: Redact): Value {
  const json = JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? redact(each) : each))
  return JSON.parse(json) as Value
}
