import { isObject, type Json, type JsonObject } from '../json.ts'
import { limits } from '../limits.ts'
import { translateCall, wordOf } from './foreign-tools.ts'
import { parseLoosely } from './loose-json.ts'

/** The name of a tool, and the names of its fields. */
export interface KnownTool {
  readonly name: string
  readonly inputSchema: JsonObject
}

/** A call that its provider accepts in the history, and that its tool can take. */
export interface MeantCall {
  readonly tool: string
  readonly input: Json
  /** The reason why the call cannot be parsed. */
  readonly invalid?: string
}

/**
 * Repairs a call whose meaning is certain: a tool or fields under other names, or arguments in the
 * wrong form. Otherwise returns the call unchanged, with the problem. The arguments are the text
 * that the model wrote.
 */
export function repairCall(
  written: { readonly tool: string; readonly input: string },
  tools: readonly KnownTool[],
): MeantCall {
  const tool = toolMeant(written.tool, tools)
  if (written.input.length > limits.modelInputChars) {
    const input = written.input.slice(0, limits.modelTextChars).toWellFormed()
    return {
      tool: portableName(tool?.name ?? written.tool),
      input,
      invalid: `The input is longer than ${limits.modelInputChars} characters.`,
    }
  }
  const read = readArguments(written.input)
  if (read.ok && isDeeper(read.value, deepest)) {
    const invalid = `The input nests deeper than ${deepest} levels.`
    return { tool: portableName(tool?.name ?? written.tool), input: {}, invalid }
  }
  const input = read.ok ? unwrapped(read.value, written.tool, tool) : written.input
  if (tool === null) return foreignCall(written.tool, input, tools)
  if (!read.ok) return { tool: tool.name, input, invalid: `The input is not JSON: ${read.why}` }
  return { tool: tool.name, input: isObject(input) ? withOwnNames(input, tool) : input }
}

/** A name that every provider accepts in a conversation. */
function portableName(name: string): string {
  const portable = name.replaceAll(/[^A-Za-z0-9_-]+/g, '_').slice(0, longestName)
  // A lookup of the name in an object must not find an inherited property.
  const isPlain = /^[A-Za-z_]/.test(portable) && !(portable in {})
  return isPlain ? portable : `tool_${portable}`.slice(0, longestName)
}

/**
 * Nesting of an input; no tool needs more, and deeper values could break readers of the history.
 */
const deepest = 64

function isDeeper(value: Json, levels: number): boolean {
  let level: readonly Json[] = [value]
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
    if (level.length === 0) return false
  }
  return true
}

/** The shortest limit of any provider. */
const longestName = 64

function foreignCall(name: string, input: Json, tools: readonly KnownTool[]): MeantCall {
  const translated = isObject(input) ? translateCall(lastPart(name), input) : null
  if (translated !== null && tools.some((each) => each.name === translated.tool)) return translated
  const names = tools.map((each) => each.name).join(', ') || 'none'
  const shown = JSON.stringify(name.slice(0, longestName)).slice(1, -1)
  return { tool: portableName(name), input, invalid: `There is no tool named ${shown}; there are ${names}.` }
}

/**
 * The tool of this name, ignoring its case, its separators, and prefixes or suffixes of other
 * agents.
 */
function toolMeant(name: string, tools: readonly KnownTool[]): KnownTool | null {
  const exact = tools.find((tool) => tool.name === name)
  if (exact) return exact
  const wanted = new Set([wordOf(name), wordOf(lastPart(name))])
  const [found, other] = tools.filter((tool) => wanted.has(wordOf(tool.name)))
  return found && !other ? found : null
}

/** `functions.read_file:0`, `mcp__drydock__read_file`, `read_file<|channel|>json`. */
function lastPart(name: string): string {
  const [plain = ''] = name.split(/<\||\(|\s+|:\d+$/).filter(Boolean)
  return plain.split(/[.:/]|__/).at(-1) ?? plain
}

type ParsedArguments = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly why: string }

function readArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { ok: true, value: {} }
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    const value = parseLoosely(text)
    if (value !== undefined) return { ok: true, value }
    return { ok: false, why: error instanceof Error ? error.message : String(error) }
  }
}

const wrappers = ['arguments', 'parameters', 'input', 'args', 'params', 'kwargs', 'tool_input']

/**
 * The object that was meant: inside a JSON text, alone in a list, or below a name like `arguments`.
 */
function unwrapped(value: Json, name: string, tool: KnownTool | null): Json {
  let inner = value
  for (let depth = 0; depth < 4; depth += 1) {
    const next = innerOf(inner, name, tool)
    if (next === undefined) break
    inner = next
  }
  return inner === null || (typeof inner === 'string' && inner.trim() === '') ? {} : inner
}

function innerOf(value: Json, name: string, tool: KnownTool | null): Json | undefined {
  if (typeof value === 'string') {
    const parsed = parseLoosely(value)
    return typeof parsed === 'object' || typeof parsed === 'string' ? (parsed ?? undefined) : undefined
  }
  if (Array.isArray(value)) {
    const [only, ...more] = value as readonly Json[]
    return more.length === 0 && isObject(only) ? only : undefined
  }
  if (!isObject(value)) return undefined
  const keys = Object.keys(value)
  const key = keys.find((each) => wrappers.includes(each) && !Object.hasOwn(fieldsOf(tool), each))
  if (key === undefined) return undefined
  const others = keys.filter((each) => each !== key)
  const isWrapper = others.every(
    (each) => ['name', 'tool', 'function', 'type', 'id'].includes(each) && !Object.hasOwn(fieldsOf(tool), each),
  )
  const named = value.name ?? value.tool ?? value.function
  const isItself =
    named === undefined || (typeof named === 'string' && wordOf(lastPart(named)) === wordOf(lastPart(name)))
  const inner = value[key]
  return isWrapper && isItself && (typeof inner === 'object' || typeof inner === 'string') ? inner : undefined
}

/** Other names of fields, used by tools of other agents. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  path: ['file_path', 'filePath', 'filepath', 'filename', 'file_name', 'file', 'target_file', 'absolute_path'],
  old: ['old_str', 'old_string', 'oldString', 'old_text', 'search'],
  new: ['new_str', 'new_string', 'newString', 'new_text', 'replacement'],
  all: ['replace_all', 'replaceAll'],
  content: ['contents', 'file_text', 'text', 'code'],
  command: ['cmd'],
  cwd: ['workdir', 'working_directory', 'working_dir', 'directory'],
  background: ['run_in_background', 'is_background', 'isBackground'],
  patch: ['patchText', 'patch_text', 'diff'],
  pattern: ['regex', 'query', 'glob_pattern'],
  from: ['source', 'old_path', 'source_path'],
  to: ['destination', 'new_path', 'destination_path'],
}

/** Renames a field to a missing one of the tool, if no other field could be meant. */
function withOwnNames(input: JsonObject, tool: KnownTool): JsonObject {
  const fields = fieldsOf(tool)
  const entries = Object.entries(input).map(([key, value]): [string, Json] => {
    if (Object.hasOwn(fields, key)) return [key, value]
    const own = Object.keys(fields).find((field) => !Object.hasOwn(input, field) && synonyms[field]?.includes(key))
    const rivals = own === undefined ? [] : Object.keys(input).filter((each) => synonyms[own]?.includes(each))
    return [own !== undefined && rivals.length === 1 ? own : key, value]
  })
  return Object.fromEntries(entries)
}

function fieldsOf(tool: KnownTool | null): JsonObject {
  const { properties = {} } = tool?.inputSchema ?? {}
  return isObject(properties) ? properties : {}
}
