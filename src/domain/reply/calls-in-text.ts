import { isObject, type Json } from '../json.ts'
import { parseLoosely } from './loose-json.ts'
import { type KnownTool, type MeantCall, repairCall } from './repair-call.ts'

/**
 * The calls in a text that consists of nothing else: some servers pass on as text what the model
 * wrote as a call. Null for any other text, which may just mention a call, or show a file with one.
 * Only known tools count, with arguments that can be parsed.
 */
export function callsInText(text: string, tools: readonly KnownTool[]): readonly MeantCall[] | null {
  const calls = readBlocks(withoutThoughts(text).trim(), tools)
  if (calls === null || calls.length === 0) return null
  const meant = calls.map((call) => repairCall(call, tools))
  return meant.every(({ tool, invalid }) => invalid === undefined && tools.some(({ name }) => name === tool))
    ? meant
    : null
}

/** True if a text contains something that looks like a call of one of these tools. */
export function speaksOfCall(text: string, names: readonly string[]): boolean {
  const isMarked =
    /<(tool_call|function_calls?|tool_use|invoke|function=|\|?tool|｜)|\[TOOL_CALLS\]|to=functions\./i.test(text)
  return names.some((name) => {
    if (!text.includes(name)) return false
    return (
      isMarked ||
      new RegExp(`["'](name|tool|function)["']\\s*:\\s*["']${name}["']|<${name}>|^\\s*${name}\\(`, 'm').test(text)
    )
  })
}

interface CallInText {
  readonly tool: string
  readonly input: string
}

function withoutThoughts(text: string): string {
  return text.replace(/^\s*<think(ing)?>[\s\S]*?<\/think(ing)?>/, '')
}

type CallReader = (
  text: string,
  tools: readonly KnownTool[],
) => { readonly calls: readonly CallInText[]; readonly rest: string } | null

/** Reads block after block until the end; null if anything else is in between. */
function readBlocks(text: string, tools: readonly KnownTool[]): readonly CallInText[] | null {
  const calls: CallInText[] = []
  let rest = text
  while (rest !== '') {
    const before = rest
    const read = forms.map((form) => form(before, tools)).find((found) => found !== null)
    if (!read) return null
    calls.push(...read.calls)
    rest = read.rest.trim()
  }
  return calls
}

/** A form that begins with `pattern`; it does not match if `callsOf` cannot read it. */
function form(
  pattern: RegExp,
  callsOf: (groups: readonly string[], tools: readonly KnownTool[]) => readonly CallInText[] | null,
): CallReader {
  return (text, tools) => {
    const found = pattern.exec(text)
    if (found === null) return null
    const calls = callsOf(found.slice(1), tools)
    return calls === null ? null : { calls, rest: text.slice(found[0].length) }
  }
}

const forms: readonly CallReader[] = [
  // Hermes, Qwen, GLM and many more: <tool_call>{"name": …, "arguments": …}</tool_call>
  form(/^<(tool_calls?|function_calls?|tool_use|functioncall)>\s*([[{][\s\S]*?[\]}])\s*<\/\1>/, ([, json]) =>
    fromJson(json),
  ),
  // Qwen Coder: <tool_call><function=name><parameter=key>value</parameter></function></tool_call>
  form(
    /^(?:<tool_call>\s*)?<function=([^>\s]+)>([\s\S]*?)<\/function>(?:\s*<\/tool_call>)?/,
    ([tool = '', body = '']) => fromElements(tool, body, /<parameter=([^>]+)>([\s\S]*?)<\/parameter>/g),
  ),
  // Anthropic: <invoke name="…"><parameter name="…">…</parameter></invoke>
  form(
    /^(?:<(?:\w+:)?function_calls>\s*)?<(?:\w+:)?invoke name="([^"]+)">([\s\S]*?)<\/(?:\w+:)?invoke>(?:\s*<\/(?:\w+:)?function_calls>)?/,
    ([tool = '', body = '']) =>
      fromElements(tool, body, /<(?:\w+:)?parameter name="([^"]+)">([\s\S]*?)<\/(?:\w+:)?parameter>/g),
  ),
  // Mistral: [TOOL_CALLS] [{"name": …, "arguments": …}]
  form(/^\[TOOL_CALLS\]\s*(\[[\s\S]*\])$/, ([json]) => fromJson(json)),
  // Harmony: <|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}
  form(
    /^(?:<\|start\|>assistant)?<\|channel\|>\w+ to=([\w.]+)[^{]*<\|message\|>(\{[\s\S]*?\})\s*(?:<\|call\|>)?$/,
    ([tool = '', input = '']) => [{ tool, input }],
  ),
  // Kimi: <|tool_call_begin|>functions.name:0<|tool_call_argument_begin|>{…}<|tool_call_end|>
  form(
    /^(?:<\|tool_calls_section_begin\|>\s*)?<\|tool_call_begin\|>\s*([^<\s]+)\s*<\|tool_call_argument_begin\|>\s*([\s\S]*?)\s*<\|tool_call_end\|>(?:\s*<\|tool_calls_section_end\|>)?/,
    ([tool = '', input = '']) => [{ tool, input }],
  ),
  // A fence around the call.
  form(/^```(?:json|tool_call|tool_code|xml)?\s*\n([\s\S]*?)\n```/, ([inside = ''], tools) =>
    readBlocks(inside.trim(), tools),
  ),
  // A bare object: {"name": …, "arguments": …}
  form(/^([[{][\s\S]*[\]}])$/, ([json]) => fromJson(json)),
  // Cline and Roo: <read_file><path>…</path></read_file>
  form(/^<(\w+)>([\s\S]*?)<\/\1>/, ([tool = '', body = ''], tools) =>
    tools.some(({ name }) => name === tool) ? fromElements(tool, body, /<(\w+)>([\s\S]*?)<\/\1>/g) : null,
  ),
]

function fromJson(json = ''): readonly CallInText[] | null {
  const parsed = parseLoosely(json)
  const calls = (Array.isArray(parsed) ? parsed : [parsed]).map(fromObject)
  return calls.every((call) => call !== null) ? calls : null
}

function fromObject(value: Json | undefined): CallInText | null {
  if (!isObject(value)) return null
  const { type: _, id: __, ...said } = isObject(value.function) ? value.function : value
  const { name = said.tool ?? said.function, arguments: given = said.parameters ?? said.input ?? said.args } = said
  if (typeof name !== 'string' || given === undefined || Object.keys(said).length !== 2) return null
  return { tool: name, input: typeof given === 'string' ? given : JSON.stringify(given) }
}

/**
 * Reads a call whose body consists of these elements; null if it contains anything else. One line
 * break around a value does not belong to the value.
 */
function fromElements(tool: string, body: string, element: RegExp): readonly CallInText[] | null {
  if (body.replaceAll(element, '').trim() !== '') return null
  const entries = [...body.matchAll(element)].map(([, key = '', value = '']) => [key, value.replace(/^\n|\n$/g, '')])
  return [{ tool, input: JSON.stringify(Object.fromEntries(entries)) }]
}
