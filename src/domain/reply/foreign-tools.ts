import type { Json, JsonObject } from '../json.ts'

/** A call of another agent's tool, translated to the tool of ours that does the same. */
interface TranslatedCall {
  readonly tool: string
  readonly input: JsonObject
}

type Translate = (input: JsonObject) => TranslatedCall | null

const text = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null)

/** The first of these fields that is present. */
function field(input: JsonObject, ...names: readonly string[]): Json | undefined {
  return names.map((name) => (Object.hasOwn(input, name) ? input[name] : undefined)).find((value) => value != null)
}

const pathOf = (input: JsonObject) => text(field(input, 'path', 'file_path', 'filePath', 'filename', 'absolute_path'))
const oldOf = (input: JsonObject) => text(field(input, 'old_str', 'old_string', 'oldString', 'old_text', 'old'))
const newOf = (input: JsonObject) => text(field(input, 'new_str', 'new_string', 'newString', 'new_text', 'new'))
const contentOf = (input: JsonObject) => text(field(input, 'content', 'contents', 'file_text', 'text', 'code'))

const command: Translate = (input) => {
  const given = field(input, 'command', 'cmd', 'script')
  const line = Array.isArray(given) ? lineOf(given) : text(given)
  const seconds = field(input, 'timeout_sec')
  const limit = typeof seconds === 'number' ? { timeout_sec: seconds } : {}
  const folder = text(field(input, 'workdir', 'cwd', 'directory', 'working_directory'))
  const beside = field(input, 'run_in_background', 'background', 'is_background') === true ? { background: true } : {}
  if (line === null) return null
  return { tool: 'run_command', input: { command: line, ...(folder && { cwd: folder }), ...limit, ...beside } }
}

/** The command line for a list of words: the one passed to a shell, or the words quoted for it. */
function lineOf(words: readonly Json[]): string | null {
  if (words.length === 0 || !words.every((word) => typeof word === 'string')) return null
  const [shell = '', option = '', line = ''] = words
  if (words.length === 3 && /^(\/bin\/|\/usr\/bin\/)?(ba|da|z)?sh$/.test(shell) && /^-l?c$/.test(option)) return line
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ')
}

const read: Translate = (input) => {
  const path = pathOf(input)
  const range = Object.fromEntries(
    ['offset', 'limit'].flatMap((name) => (typeof input[name] === 'number' ? [[name, input[name]]] : [])),
  )
  return path === null ? null : { tool: 'read_file', input: { path, ...rangeOf(input.view_range), ...range } }
}

function rangeOf(range: Json | undefined): JsonObject {
  const [from, to] = Array.isArray(range) ? range : []
  if (typeof from !== 'number' || typeof to !== 'number') return {}
  return { offset: Math.max(1, from), ...(to >= from && { limit: to - Math.max(1, from) + 1 }) }
}

const write: Translate = (input) => {
  const [path, content] = [pathOf(input), contentOf(input)]
  return path === null || content === null ? null : { tool: 'write_file', input: { path, content } }
}

const edit: Translate = (input) => {
  const [path, old, put] = [pathOf(input), oldOf(input), newOf(input)]
  if (path === null || old === null || put === null) return null
  const all = field(input, 'replace_all', 'replaceAll', 'all') === true ? { all: true } : {}
  return { tool: 'edit_file', input: { path, old, new: put, ...all } }
}

const commands: Readonly<Record<string, Translate>> = { view: read, create: write, str_replace: edit }

const editor: Translate = (input) => {
  const name = text(input.command) ?? ''
  return Object.hasOwn(commands, name) ? (commands[name]?.(input) ?? null) : null
}

const search: Translate = (input) => {
  const pattern = text(field(input, 'pattern', 'regex', 'query'))
  const glob = text(field(input, 'glob', 'include', 'file_pattern'))
  const elsewhere = field(input, 'path', 'directory')
  if (pattern === null || (elsewhere !== undefined && elsewhere !== '.')) return null
  return { tool: 'search_files', input: { pattern, ...(glob !== null && { glob }) } }
}

const list: Translate = (input) => {
  const pattern = text(field(input, 'pattern', 'glob', 'glob_pattern'))
  return pattern === null || field(input, 'path') !== undefined ? null : { tool: 'list_files', input: { pattern } }
}

/** Keys are names in lower case, without separators. */
const foreign: Readonly<Record<string, Translate>> = {
  bash: command,
  shell: command,
  sh: command,
  terminal: command,
  execute: command,
  exec: command,
  executecommand: command,
  runshellcommand: command,
  runterminalcmd: command,
  localshell: command,
  execcommand: command,
  executebash: command,
  runbash: command,
  shellcommand: command,
  containerexec: command,
  strreplaceeditor: editor,
  strreplacebasededittool: editor,
  read,
  view: read,
  cat: read,
  openfile: read,
  viewfile: read,
  readtextfile: read,
  write,
  writetofile: write,
  createfile: write,
  savefile: write,
  create: write,
  edit,
  replace: edit,
  strreplace: edit,
  searchreplace: edit,
  replacestring: edit,
  replaceinfile: edit,
  grep: search,
  grepsearch: search,
  searchfilecontent: search,
  ripgrep: search,
  codesearch: search,
  glob: list,
  findfiles: list,
  filesearch: list,
}

export const wordOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Translates a call to our tools; null if none does quite the same. */
export function translateCall(name: string, input: JsonObject): TranslatedCall | null {
  const word = wordOf(name)
  return Object.hasOwn(foreign, word) ? (foreign[word]?.(input) ?? null) : null
}

const purposes: readonly (readonly [words: string, tools: readonly string[]])[] = [
  ['todo todos todowrite todoread plan', ['update_todos']],
  ['output stdin kill', ['check_command']],
  ['rename move mv', ['move_file']],
  ['delete remove rm unlink', ['delete_file']],
  ['git', ['get_diff', 'run_command']],
  ['web url fetch browser http', []],
  ['patch diff edit replace insert undo modify', ['apply_patch', 'edit_file', 'write_file']],
  ['write create save', ['write_file']],
  ['grep search find', ['search_files', 'list_files']],
  ['glob list ls dir tree', ['list_files']],
  ['shell bash exec execute command terminal run python cmd', ['run_command']],
  ['read view cat file', ['read_file']],
  [
    'finish finished complete completion done submit answer final',
    ['submit_change', 'submit_plan', 'submit_reply', 'submit_report', 'submit_stories', 'submit_spec'],
  ],
]

/** The tools of ours that a call with an unknown name was probably meant for. */
export function nearTools(name: string, tools: readonly string[]): readonly string[] {
  const said = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
  const [, meant = []] = purposes.find(([words]) => words.split(' ').some((word) => said.includes(word))) ?? []
  return meant.filter((tool) => tools.includes(tool))
}
