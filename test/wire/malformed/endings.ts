import type { WireTurn } from '../turn.ts'
import type { MalformedReply } from './malformed-reply.ts'

const call = { tool: 'read_file', input: { path: 'a.txt' } }
const submit = { tool: 'submit_change', input: { summary: 'done' } }
const shown = { ran: 'read_file', output: '1\tone\n2\ttwo' } as const
const cut = { told: 'cut off at the token limit' } as const
const said: WireTurn = { text: 'I read it.', calls: [call] }

/** Replies with a wrong end, or with calls that exclude each other. */
export const malformedEndings: readonly MalformedReply[] = [
  { name: 'cut in the middle of a call', turn: { ...said, stop: 'length' }, comes: cut },
  { name: 'cut before anything was said', turn: { stop: 'length' }, comes: cut },
  { name: 'cut while it thought', turn: { reasoning: 'I should', stop: 'length' }, comes: cut },
  {
    name: 'withheld by the filter',
    turn: (dialect) => (dialect === 'ollama' ? null : { text: 'I ca', stop: 'refused' }),
    comes: { told: 'withheld your reply' },
  },
  {
    name: 'withheld without a word',
    turn: (dialect) => (dialect === 'ollama' ? null : { stop: 'refused' }),
    comes: { told: 'withheld your reply' },
  },
  { name: 'the stream ends in the middle', turn: { ...said, fault: 'no_end' }, comes: 'again' },
  { name: 'the connection breaks in the middle', turn: { ...said, fault: 'broken' }, comes: 'again' },
  { name: 'an error in the middle', turn: { ...said, fault: 'error_event' }, comes: 'again' },
  {
    name: 'no stream at all',
    turn: { refusal: { status: 200, headers: { 'content-type': 'text/plain' }, body: 'hi' } },
    comes: 'again',
  },
  {
    name: 'an empty body',
    turn: { refusal: { status: 200, headers: { 'content-type': 'text/event-stream' } } },
    comes: 'again',
  },
  {
    name: 'a reason to end that nobody knows',
    turn: (dialect) =>
      dialect === 'openai' ? { ...said, stop: 'length', rawStop: 'tired' } : { ...said, rawStop: 'tired' },
    comes: (dialect) => (dialect === 'ollama' ? shown : 'again'),
  },
  {
    name: 'a call that its provider could not read',
    turn: (dialect) => (dialect === 'google' ? { rawStop: 'MALFORMED_FUNCTION_CALL' } : null),
    comes: { told: 'Only tool calls have an effect' },
  },
  {
    name: 'a call although it says that it stopped',
    turn: (dialect) => ({
      ...said,
      ...(dialect === 'openai-compatible' && { rawStop: 'stop' }),
      ...(dialect === 'anthropic' && { rawStop: 'end_turn' }),
    }),
    comes: shown,
  },
  {
    name: 'two different ends',
    turn: { calls: [submit, { tool: 'no_change', input: { reason: 'none', evidence: 'none' } }] },
    comes: { told: 'several calls of your reply end your work here' },
  },
  {
    name: 'the same call four times at once',
    turn: { calls: Array.from({ length: 4 }, () => call) },
    comes: { ran: 'read_file' },
  },
  {
    name: 'words of ten thousand lines beside a call',
    turn: { text: 'x\n'.repeat(10_000), calls: [call] },
    comes: shown,
  },
  { name: 'control characters in the words', turn: { text: '\u0000\u001b[31mred\u0007', calls: [call] }, comes: shown },
  { name: 'half a character in the words', turn: { text: 'half \ud83d', calls: [call] }, comes: shown },
]
