import { type MalformedReply, written } from './malformed-reply.ts'

const read = (text: string) => ({ calls: [written('read_file', text)] })
const shown = { ran: 'read_file', output: '1\tone\n2\ttwo' } as const
/** A text is invalid in formats with object arguments. */
const notJson: MalformedReply['comes'] = (dialect) => ({
  told: dialect === 'ollama' ? 'expected object' : 'is not JSON',
})
const noObject: MalformedReply['comes'] = (dialect) => ({
  told: dialect === 'google' ? 'is not JSON' : 'expected object',
})

/** Arguments that the tool does not accept. */
export const malformedArguments: readonly MalformedReply[] = [
  { name: 'a comma after the last entry', turn: read('{"path": "a.txt",}'), comes: shown },
  { name: 'quotes of Python', turn: read("{'path': 'a.txt'}"), comes: shown },
  { name: 'names without quotes', turn: read('{path: "a.txt"}'), comes: shown },
  { name: 'a comment', turn: read('{"path": "a.txt" /* the file */}'), comes: shown },
  { name: 'words of Python', turn: read('{"path": "a.txt", "offset": None}'), comes: shown },
  { name: 'a fence around the arguments', turn: read('```json\n{"path": "a.txt"}\n```'), comes: shown },
  { name: 'one brace too many', turn: read('{"path": "a.txt"}}'), comes: shown },
  { name: 'the same object twice', turn: read('{"path": "a.txt"}{"path": "a.txt"}'), comes: shown },
  { name: 'two different objects', turn: read('{"path": "a.txt"}{"path": "b.txt"}'), comes: notJson },
  { name: 'words before the object', turn: read('Here you are: {"path": "a.txt"}'), comes: notJson },
  { name: 'an object that was cut in a text', turn: read('{"path": "a.t'), comes: notJson },
  { name: 'an object that was cut after a text', turn: read('{"path": "a.txt"'), comes: notJson },
  { name: 'no JSON at all', turn: read('a.txt, please'), comes: notJson },
  {
    name: 'a line break inside a text',
    turn: { calls: [written('write_file', '{"path": "a.txt", "content": "one\nthree\n"}')] },
    comes: { ran: 'write_file', file: 'one\nthree\n' },
  },
  {
    name: 'a tab and a control character inside a text',
    turn: { calls: [written('write_file', '{"path": "a.txt", "content": "\tone\u0001"}')] },
    comes: { ran: 'write_file', file: '\tone\u0001' },
  },
  {
    name: 'an escape that there is not',
    turn: { calls: [written('search_files', '{"pattern": "t\\wo"}')] },
    comes: { ran: 'search_files', output: 'a.txt:2: two' },
  },
  { name: 'the object as a JSON text', turn: read('"{\\"path\\": \\"a.txt\\"}"'), comes: shown },
  {
    name: 'the object as a JSON text of a JSON text',
    turn: read('"\\"{\\\\\\"path\\\\\\": \\\\\\"a.txt\\\\\\"}\\""'),
    comes: shown,
  },
  { name: 'a plain JSON text', turn: read('"a.txt"'), comes: noObject },
  { name: 'an array with the object', turn: read('[{"path": "a.txt"}]'), comes: shown },
  {
    name: 'an array of two objects',
    turn: read('[{"path": "a.txt"}, {"path": "b.txt"}]'),
    comes: { told: 'is not valid' },
  },
  { name: 'an empty array', turn: read('[]'), comes: { told: 'expected object' } },
  { name: 'null', turn: read('null'), comes: { told: 'path: ' } },
  { name: 'a number', turn: read('7'), comes: { told: 'is not valid' } },
  { name: 'nothing', turn: read(''), comes: { told: 'path: ' } },
  { name: 'a missing field', turn: read('{}'), comes: { told: 'path: ' } },
  { name: 'a field that is null', turn: read('{"path": null}'), comes: { told: 'path: ' } },
  { name: 'a field of another type', turn: read('{"path": {"name": "a.txt"}}'), comes: { told: 'path: ' } },
  { name: 'a number as a field of text', turn: read('{"path": 7}'), comes: { told: 'path: ' } },
  { name: 'extra fields', turn: read('{"path": "a.txt", "explanation": "to see it"}'), comes: shown },
  {
    name: 'optional fields that are null',
    turn: read('{"path": "a.txt", "offset": null, "limit": null}'),
    comes: shown,
  },
  { name: 'numbers as texts', turn: read('{"path": "a.txt", "offset": "1", "limit": "2"}'), comes: shown },
  { name: 'numbers as fractions', turn: read('{"path": "a.txt", "offset": 1.0, "limit": "2.0"}'), comes: shown },
  { name: 'a number that cannot be meant', turn: read('{"path": "a.txt", "offset": -3}'), comes: { told: 'offset: ' } },
  {
    name: 'a truth as a text',
    turn: { calls: [written('edit_file', '{"path": "a.txt", "old": "two", "new": "three", "all": "true"}')] },
    comes: { ran: 'edit_file', file: 'one\nthree\n' },
  },
  { name: 'another name of a field', turn: read('{"file_path": "a.txt"}'), comes: shown },
  {
    name: 'the arguments inside an object named arguments',
    turn: read('{"arguments": {"path": "a.txt"}}'),
    comes: shown,
  },
  {
    name: 'the call inside its arguments',
    turn: read('{"name": "read_file", "arguments": "{\\"path\\": \\"a.txt\\"}"}'),
    comes: shown,
  },
  {
    name: 'a field whose text is quoted once more',
    turn: read('{"path": "\\"a.txt\\""}'),
    comes: { told: 'no such file' },
  },
  {
    name: 'a field that is set to a prototype',
    turn: read('{"__proto__": {"path": "a.txt"}}'),
    comes: (dialect) => (dialect === 'google' ? 'again' : { told: 'path: ' }),
  },
  { name: 'a NUL in a text', turn: read('{"path": "a.txt\\u0000"}'), comes: { told: 'NUL character' } },
  {
    name: 'half a character in a text',
    turn: read('{"path": "a\\ud800.txt"}'),
    comes: { told: '`path` has half of a surrogate pair' },
  },
  {
    name: 'huge arguments',
    turn: { calls: [written('write_file', JSON.stringify({ path: 'a.txt', content: 'x'.repeat(2_200_000) }))] },
    comes: { told: '2097152 characters' },
  },
  {
    name: 'arguments that nest very deep',
    turn: read(`{"path": ${'['.repeat(3_000)}${']'.repeat(3_000)}}`),
    comes: { told: 'nests deeper than' },
  },
]
