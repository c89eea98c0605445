import type { Json } from '../../../src/domain/json.ts'
import { type MalformedReply, written } from './malformed-reply.ts'

const calls = (tool: string, input: Json, id?: string) => ({ calls: [written(tool, JSON.stringify(input), id)] })
const shown = { ran: 'read_file', output: '1\tone\n2\ttwo' } as const
const edited = { ran: 'edit_file', file: 'one\nthree\n' } as const
const replaced = { ran: 'write_file', file: 'three\n' } as const
const listed = { ran: 'run_command', output: 'a.txt' } as const
const noTool = { told: 'There is no tool' } as const

/** Unknown tool names, and those of other agents. */
export const malformedNames: readonly MalformedReply[] = [
  { name: 'a tool that there is not', turn: calls('open_pod_bay_doors', {}), comes: noTool },
  { name: 'a name in another case', turn: calls('ReadFile', { path: 'a.txt' }), comes: shown },
  { name: 'a name with a hyphen', turn: calls('read-file', { path: 'a.txt' }), comes: shown },
  { name: 'a name behind functions', turn: calls('functions.read_file', { path: 'a.txt' }), comes: shown },
  { name: 'a name behind a server', turn: calls('mcp__drydock__read_file', { path: 'a.txt' }), comes: shown },
  { name: 'a name with its number', turn: calls('functions.read_file:0', { path: 'a.txt' }), comes: shown },
  {
    name: 'a name with a mark of its template',
    turn: calls('read_file<|channel|>json', { path: 'a.txt' }),
    comes: shown,
  },
  { name: 'a name with white space', turn: calls(' read_file\n', { path: 'a.txt' }), comes: shown },
  { name: 'a name with brackets', turn: calls('read_file()', { path: 'a.txt' }), comes: shown },
  { name: 'a name of other letters', turn: calls('читать файл', { path: 'a.txt' }), comes: noTool },
  { name: 'a name of an object’s own', turn: calls('__proto__', { path: 'a.txt' }), comes: noTool },
  { name: 'a name that is a sentence', turn: calls(`read the file ${'very '.repeat(100)}`, {}), comes: noTool },
  {
    name: 'no name',
    turn: (dialect) => (dialect === 'google' ? null : calls('', { path: 'a.txt' })),
    comes: (dialect) => (dialect === 'openai-compatible' ? 'again' : noTool),
  },
  {
    name: 'a command of the editor str_replace_editor: view',
    turn: calls('str_replace_editor', { command: 'view', path: 'a.txt' }),
    comes: shown,
  },
  {
    name: 'a command of the editor str_replace_editor: view a range',
    turn: calls('str_replace_based_edit_tool', { command: 'view', path: 'a.txt', view_range: [2, 2] }),
    comes: { ran: 'read_file', output: '2\ttwo' },
  },
  {
    name: 'a command of the editor str_replace_editor: str_replace',
    turn: calls('str_replace_editor', { command: 'str_replace', path: 'a.txt', old_str: 'two', new_str: 'three' }),
    comes: edited,
  },
  {
    name: 'a command of the editor str_replace_editor: create',
    turn: calls('str_replace_editor', { command: 'create', path: 'a.txt', file_text: 'three\n' }),
    comes: replaced,
  },
  {
    name: 'a command of the editor str_replace_editor: insert',
    turn: calls('str_replace_editor', { command: 'insert', path: 'a.txt', insert_line: 1, new_str: 'three' }),
    comes: { told: 'edit_file' },
  },
  { name: 'a command for a shell', turn: calls('shell', { command: ['bash', '-lc', 'ls'] }), comes: listed },
  { name: 'a command as words', turn: calls('shell', { command: ['ls', '-a'] }), comes: listed },
  { name: 'a command for bash', turn: calls('Bash', { command: 'ls', description: 'List the files' }), comes: listed },
  {
    name: 'a command for a terminal',
    turn: calls('run_terminal_cmd', { command: 'ls', is_background: false }),
    comes: listed,
  },
  {
    name: 'a command in another folder',
    turn: calls('shell', { command: 'ls', workdir: '/etc' }),
    comes: { told: 'cwd /etc: The path leads out of the workspace' },
  },
  { name: 'a list of commands', turn: calls('run_command', { commands: ['ls', 'pwd'] }), comes: { told: 'command: ' } },
  { name: 'a file read as elsewhere', turn: calls('Read', { file_path: 'a.txt' }), comes: shown },
  {
    name: 'an edit as elsewhere',
    turn: calls('Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' }),
    comes: edited,
  },
  {
    name: 'an edit called replace',
    turn: calls('replace', { file_path: 'a.txt', old_string: 'two', new_string: 'three' }),
    comes: edited,
  },
  {
    name: 'an edit with fields of others',
    turn: calls('edit_file', { path: 'a.txt', old_str: 'two', new_str: 'three' }),
    comes: edited,
  },
  {
    name: 'an edit with two texts to find',
    turn: calls('edit_file', { path: 'a.txt', old_str: 'two', old_text: 'one', new: 'x' }),
    comes: { told: 'old: ' },
  },
  {
    name: 'a file written as elsewhere',
    turn: calls('write_to_file', { path: 'a.txt', content: 'three\n' }),
    comes: replaced,
  },
  {
    name: 'a search as elsewhere',
    turn: calls('grep', { pattern: 'tw.' }),
    comes: { ran: 'search_files', output: 'a.txt:2: two' },
  },
  {
    name: 'a list as elsewhere',
    turn: calls('Glob', { pattern: '*.txt' }),
    comes: { ran: 'list_files', output: 'a.txt' },
  },
  {
    name: 'a diff to apply',
    turn: calls('apply_diff', { path: 'a.txt', diff: '-two\n+three' }),
    comes: { told: 'edit_file' },
  },
  {
    name: 'an end as elsewhere',
    turn: calls('attempt_completion', { result: 'done' }),
    comes: { told: 'submit_change' },
  },
  { name: 'an id with white space', turn: calls('read_file', { path: 'a.txt' }, 'call 1\n'), comes: shown },
  { name: 'a very long id', turn: calls('read_file', { path: 'a.txt' }, `call_${'x'.repeat(400)}`), comes: shown },
  {
    name: 'the same id twice',
    turn: { calls: ['a.txt', 'a.txt'].map((path) => ({ tool: 'read_file', input: { path }, id: 'same' })) },
    comes: shown,
  },
  {
    name: 'empty ids',
    turn: { calls: ['a.txt', 'a.txt'].map((path) => ({ tool: 'read_file', input: { path }, id: '' })) },
    comes: shown,
  },
]
