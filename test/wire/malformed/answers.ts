import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { Json } from '../../../src/domain/json.ts'
import type { Dialect, WireTurn } from '../turn.ts'
import type { Comes, MalformedReply } from './malformed-reply.ts'

type Name = Dialect['name']

const shown = { ran: 'read_file', output: '1\tone\n2\ttwo' } as const
const path = { path: 'a.txt' }
const call: WireTurn = { calls: [{ tool: 'read_file', input: path }] }
const json = { 'content-type': 'application/json' }
const good = (body: Json, headers: Record<string, string> = json): WireTurn => ({
  refusal: { status: 200, headers, body: JSON.stringify(body) },
})
const text = (body: string, type: string): WireTurn => ({
  refusal: { status: 200, headers: { 'content-type': type }, body },
})
const event = (body: Json): string => `data: ${JSON.stringify(body)}\n\n`

const row = (name: string, turn: MalformedReply['turn'], comes: Comes): MalformedReply => ({ name, turn, comes })
/** An error instead of a reply, with a status of success. */
const inside = (name: string, body: Json, comes: Comes) => row(`inside a good status: ${name}`, good(body), comes)
const ended = (words: string): Comes => ({ ended: words })

const errors: readonly MalformedReply[] = [
  inside('a key that is not valid', { error: { message: 'Invalid API key', code: 401 } }, ended('Invalid API key')),
  inside('a key, as a type', { error: { message: 'Bad one', type: 'authentication_error' } }, ended('Bad one')),
  inside('a key, as a status of gRPC', [{ error: { message: 'Bad', status: 'UNAUTHENTICATED' } }], ended('Bad')),
  inside('a key, in words alone', { error: 'Incorrect API key provided' }, ended('Incorrect API key')),
  inside('a key, as a detail', { detail: 'Not authenticated' }, ended('Not authenticated')),
  inside('a number of its own', { base_resp: { status_code: 1004, status_msg: 'login fail' } }, ended('login fail')),
  inside('an account without credit', { error: { message: 'Insufficient credits', code: 402 } }, ended('Insufficient')),
  inside(
    'an account that may not',
    { success: false, errors: [{ code: 403, message: 'No access' }] },
    ended('No access'),
  ),
  inside('a model that there is not', { error: { message: 'No endpoints', code: 404 } }, ended('No endpoints')),
  inside(
    'a model, as an object',
    { object: 'error', message: 'The model x does not exist.', code: 40401 },
    ended('x does'),
  ),
  inside('a setting', { error: { message: 'Unsupported: top_k', code: 'unsupported_parameter' } }, ended('top_k')),
  inside('a list of fields', { detail: [{ loc: ['tools'], msg: 'Extra inputs' }], code: 422 }, ended('Extra inputs')),
  inside(
    'another’s words in it',
    { error: { message: 'Provider error', code: 401, metadata: { raw: '{"error":"Key revoked"}' } } },
    ended('Key revoked'),
  ),
  inside('too many requests', { error: { message: 'Slow down', code: 429 } }, 'again'),
  inside('an overload', { error: { message: 'Busy', code: '503' } }, 'again'),
  inside('an overload, as a type', { type: 'error', error: { type: 'overloaded_error', message: 'Busy' } }, 'again'),
  inside('words that nobody knows', { error: { message: 'Something went wrong' } }, 'again'),
  inside('nothing', {}, 'again'),
  row('a text', text('upstream connect error', 'text/plain'), 'again'),
  row('a text that asks for a key', text('401 Unauthorized', 'text/plain'), ended('401 Unauthorized')),
  row('JSON that was cut', text('{"id": "x', 'application/json'), 'again'),
  row(
    'an error under the type of a stream',
    text('{"error": {"message": "No", "code": 401}}', 'text/event-stream'),
    ended('No'),
  ),
  row(
    'an error without a type',
    { refusal: { status: 200, body: '{"error": {"message": "No", "code": 401}}' } },
    ended('No'),
  ),
]

/** Ollama streams lines; all others stream events. */
const streams = (
  of: (whole: string) => Iterable<string | Uint8Array>,
  more: Partial<WireTurn> = {},
): MalformedReply['turn'] => {
  return (dialect) => (dialect === 'ollama' ? null : { ...call, ...more, sent: of })
}

const bytesOf = function* (whole: string): Iterable<Uint8Array> {
  const bytes = Buffer.from(whole)
  for (let at = 0; at < bytes.length; at += 1) yield bytes.subarray(at, at + 1)
}

const packed = (encoding: string, pack: (bytes: Buffer) => Uint8Array): MalformedReply =>
  row(
    `a stream that is packed as ${encoding}`,
    { ...call, headers: { 'content-encoding': encoding }, sent: (whole) => [pack(Buffer.from(whole))] },
    shown,
  )

const told: readonly MalformedReply[] = [
  row(
    'an error event before anything',
    streams((whole) => [event({ error: { message: 'No key', code: 401 } }), whole]),
    ended('No key'),
  ),
  row(
    'an event that is named an error',
    streams((whole) => ['event: error\ndata: {"message": "Unauthorized"}\n\n', whole]),
    ended('Unauthorized'),
  ),
  row(
    'a line of JSON in the place of events',
    streams(() => ['\n{"error": {"message": "No key", "code": 401}}\n']),
    ended('No key'),
  ),
  row(
    'an event that is no JSON',
    streams((whole) => [whole.slice(0, whole.length / 2), '\n\ndata: Internal error\n\n']),
    'again',
  ),
  row(
    'an event that was cut',
    streams((whole) => [whole.slice(0, -30)]),
    'again',
  ),
  row(
    'only comments',
    streams(() => [': waiting\n\n: waiting\n\n']),
    'again',
  ),
  row(
    'only the end',
    streams(() => ['data: [DONE]\n\n']),
    'again',
  ),
]

const whole: readonly MalformedReply[] = [
  row(
    'comments between the events',
    streams((all) => [': waiting\n\n', all.replaceAll('\n\n', '\n\n: waiting\n\n')]),
    shown,
  ),
  row(
    'lines that end with a carriage return and a line feed',
    streams((all) => [all.replaceAll('\n', '\r\n')]),
    shown,
  ),
  row(
    'lines that end with a carriage return',
    streams((all) => [all.replaceAll('\n', '\r')]),
    shown,
  ),
  row(
    'a byte order mark before the first event',
    streams((all) => ['\ufeff', all]),
    shown,
  ),
  row('each byte by itself', { ...call, text: 'Zwölf 漢字 😀', sent: bytesOf }, shown),
  row(
    'line separators of Unicode in a text',
    { ...call, text: 'one\u2028two\u2029three\u0085four', sent: bytesOf },
    shown,
  ),
  row(
    'a stream under the type of a page',
    streams((all) => [all], { headers: { 'content-type': 'text/html' } }),
    shown,
  ),
  row(
    'a stream under the type of JSON',
    { ...call, sent: (all) => [all], headers: { 'content-type': 'application/json' } },
    shown,
  ),
  row(
    'events without a blank line after the last',
    streams((all) => [all.trimEnd()]),
    shown,
  ),
  packed('gzip', gzipSync),
  packed('deflate', deflateSync),
  packed('deflate', deflateRawSync),
  packed('br', brotliCompressSync),
  packed('zstd', zstdCompressSync),
  row(
    'a stream that says it is packed, and is not',
    { ...call, headers: { 'content-encoding': 'gzip' }, sent: (all) => [all] },
    'again',
  ),
  row('an empty error beside the reply', (dialect) => chatOnly(dialect, { error: null }), shown),
]

const chunk = (delta: Json, more: object = {}) =>
  event({ id: 'c1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }], ...more })
const chatEnd = (reason: string) => event({ id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: reason }] })

function chatOnly(dialect: Name, more: object, args: Json = JSON.stringify(path)): WireTurn | null {
  if (dialect !== 'openai-compatible') return null
  const made = {
    tool_calls: [{ index: 0, id: 'k1', type: 'function', function: { name: 'read_file', arguments: args } }],
  }
  return text(`${chunk(made, more)}${chatEnd('tool_calls')}data: [DONE]\n\n`, 'text/event-stream')
}

/** Arguments of the type that the format does not use. */
function otherArguments(dialect: Name): WireTurn | null {
  switch (dialect) {
    case 'openai-compatible':
      return chatOnly(dialect, {}, path)
    case 'openai': {
      const item = {
        type: 'function_call',
        id: 'f1',
        call_id: 'k1',
        name: 'read_file',
        arguments: path,
        status: 'completed',
      }
      return text(
        [
          event({ type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: {} } }),
          event({ type: 'response.output_item.done', output_index: 0, item }),
          event({
            type: 'response.completed',
            response: { id: 'r1', status: 'completed', output: [], usage: { input_tokens: 1, output_tokens: 1 } },
          }),
        ].join(''),
        'text/event-stream',
      )
    }
    case 'anthropic':
      return {
        calls: [{ tool: 'read_file', input: path, id: 'k1' }],
        sent: (all) => [
          all
            .replace(/"input":\{\}/, `"input":${JSON.stringify(JSON.stringify(path))}`)
            .replaceAll(/event: content_block_delta\n.*\n\n/g, ''),
        ],
      }
    case 'google':
    case 'ollama':
      return { calls: [{ tool: 'read_file', input: JSON.stringify(path) }] }
    default:
      throw new Error(`unknown format ${dialect satisfies never}`)
  }
}

/** The answer of a server that does not stream. */
function unstreamed(dialect: Name): WireTurn {
  const args = JSON.stringify(path)
  switch (dialect) {
    case 'openai-compatible': {
      const message = {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'k1', type: 'function', function: { name: 'read_file', arguments: args } }],
      }
      return good({
        id: 'c1',
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      })
    }
    case 'openai': {
      const output = [
        { type: 'function_call', id: 'f1', call_id: 'k1', name: 'read_file', arguments: args, status: 'completed' },
      ]
      return good({
        id: 'r1',
        object: 'response',
        created_at: 1,
        model: 'm',
        status: 'completed',
        output,
        usage: { input_tokens: 1, output_tokens: 1 },
      })
    }
    case 'anthropic': {
      const content = [
        { type: 'text', text: 'I read.' },
        { type: 'tool_use', id: 'k1', name: 'read_file', input: path },
      ]
      const usage = { input_tokens: 1, output_tokens: 1 }
      return good({
        type: 'message',
        id: 'm1',
        role: 'assistant',
        model: 'm',
        content,
        stop_reason: 'tool_use',
        stop_sequence: null,
        usage,
      })
    }
    case 'google': {
      const content = { role: 'model', parts: [{ functionCall: { name: 'read_file', args: path } }] }
      return good([{ candidates: [{ content, finishReason: 'STOP' }] }])
    }
    case 'ollama': {
      const message = {
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: 'read_file', arguments: path } }],
      }
      return {
        refusal: {
          status: 200,
          headers: json,
          body: JSON.stringify({ model: 'm', created_at: 'x', message, done: true, done_reason: 'stop' }, null, 2),
        },
      }
    }
    default:
      throw new Error(`unknown format ${dialect satisfies never}`)
  }
}

const forms: readonly MalformedReply[] = [
  row('arguments of another type than the format has', otherArguments, shown),
  row('a whole answer in the place of a stream', unstreamed, shown),
  {
    name: 'arguments that were cut although it says that calls end the reply',
    turn: (dialect) => chatOnly(dialect, {}, '{"path": "a.t'),
    comes: { told: 'is not JSON' },
  },
  row(
    'a list of calls that is one call',
    (dialect) => {
      const turn = chatOnly(dialect, {})
      return (
        turn && {
          ...turn,
          refusal: {
            ...turn.refusal,
            status: 200,
            body: String(turn.refusal?.body).replace(/"tool_calls":\[(.*?\}\})\]/, '"tool_calls":$1'),
          },
        }
      )
    },
    shown,
  ),
]

/** Answers that differ from the formats: errors, encodings, types and forms. */
export const malformedAnswers: readonly MalformedReply[] = [...errors, ...told, ...whole, ...forms]
