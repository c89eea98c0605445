import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { isObject, type Json, type JsonObject, parsedJson } from '../../../domain/json.ts'
import type { Redact } from '../../../domain/secrets/redact.ts'
import type { Trouble } from './formats/format.ts'
import { oddityOf } from './json-oddity.ts'

export interface RequestBody {
  /** As they came, but for secrets. */
  readonly bytes: Buffer
  readonly json: JsonObject
}

/** Read to its end; or why it cannot be passed on. Rejects when it breaks off. */
export async function readBody(
  request: IncomingMessage,
  { redact, mostBytes }: { readonly redact: Redact; readonly mostBytes: number },
): Promise<RequestBody | Trouble> {
  const chunks: Buffer[] = []
  let size = 0
  // To its end even when it is too large: nobody reads an answer before having written all.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= mostBytes) chunks.push(chunk)
    else chunks.length = 0
  }
  if (size > mostBytes) return { kind: 'too_large', message: `The request has over ${mostBytes} bytes.` }
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity') return bad('The request is compressed; the gateway takes it as it is only.')
  const bytes = Buffer.concat(chunks)
  // Readers disagree on what stands in the place of other bytes.
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

/** With these names alone, byte for byte where it has no others. */
export function withNames({ bytes, json }: RequestBody, names: ReadonlySet<string>): RequestBody {
  const known = Object.entries(json).filter(([name]) => names.has(name))
  if (known.length === Object.keys(json).length) return { bytes, json }
  const left = Object.fromEntries(known)
  return { bytes: Buffer.from(JSON.stringify(left)), json: left }
}

/** Lists and objects within each other; what no agent sends. */
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

/** Text by text, for what would be no JSON any more otherwise. */
function redactedIn<Value extends Json>(value: Value, redact: Redact): Value {
  const json = JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? redact(each) : each))
  return JSON.parse(json) as Value
}
