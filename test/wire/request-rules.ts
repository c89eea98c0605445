import type { Dialect } from './turn.ts'

// biome-ignore lint/suspicious/noExplicitAny: the body of any provider's request.
type Body = any

/**
 * The reasons for which a provider would refuse a request, in its words; empty for an accepted one.
 * Strict about differences between providers: a server may refuse what another accepts.
 */
export function refusalsOf(dialect: Dialect['name'], body: Body): readonly string[] {
  const found = rules[dialect](body)
  return JSON.stringify(body).isWellFormed() ? found : [...found, 'invalid unicode']
}

const rules: Readonly<Record<Dialect['name'], (body: Body) => string[]>> = {
  anthropic: ofAnthropic,
  openai: ofResponses,
  'openai-compatible': ofChat,
  google: ofGoogle,
  ollama: ofOllama,
}

/** Collects violated conditions. */
function notes() {
  const found: string[] = []
  return { found, must: (holds: boolean, words: string) => void (holds || found.push(words)) }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

function isJsonObject(text: unknown): boolean {
  try {
    return typeof text === 'string' && isObject(JSON.parse(text))
  } catch {
    return false
  }
}

const isSaid = (text: unknown): boolean => typeof text === 'string' && text.trim() !== ''

/** Checks that each call is unique, and answered once by the following messages. */
function answered(calls: readonly string[], results: readonly string[], seen: Set<string>): string[] {
  const { found, must } = notes()
  for (const id of calls) {
    must(/^[a-zA-Z0-9_-]{1,64}$/.test(id), `the id ${JSON.stringify(id)} of a call`)
    must(!seen.has(id), `the id ${id} twice`)
    seen.add(id)
  }
  must(JSON.stringify([...calls].sort()) === JSON.stringify([...results].sort()), `calls ${calls}, results ${results}`)
  return found
}

function ofAnthropic({ messages }: Body): string[] {
  const { found, must } = notes()
  const seen = new Set<string>()
  must(messages[0]?.role === 'user', 'the first message must be of the user')
  for (const [i, { role, content }] of messages.entries()) {
    must(role !== messages[i + 1]?.role, `two messages of the ${role} in a row`)
    must(content.length > 0, 'a message without content')
    for (const part of content) if (part.type === 'text') must(isSaid(part.text), 'a text without words')
    const calls = content.filter(({ type }: Body) => type === 'tool_use')
    for (const { name, input } of calls) {
      must(/^[a-zA-Z0-9_-]{1,128}$/.test(name), `the name ${JSON.stringify(name)}`)
      must(isObject(input), 'an input that is no object')
    }
    if (role !== 'assistant') continue
    const results = (messages[i + 1]?.content ?? []).filter(({ type }: Body) => type === 'tool_result')
    const ids = (list: Body[], key: string) => list.map((each) => each[key])
    found.push(...answered(ids(calls, 'id'), ids(results, 'tool_use_id'), seen))
  }
  return found
}

function ofChat({ messages }: Body): string[] {
  const { found, must } = notes()
  const seen = new Set<string>()
  for (const [i, { role, content, tool_calls: calls = [] }] of messages.entries()) {
    if (role !== 'tool') must(calls.length > 0 || isSaid(content), `a message of the ${role} without content`)
    for (const { type, function: named } of calls) {
      must(type === 'function', 'a call of no type')
      must(/^[a-zA-Z0-9_-]{1,64}$/.test(named.name), `the name ${JSON.stringify(named.name)}`)
      must(isJsonObject(named.arguments), `the arguments ${named.arguments}`)
    }
    if (role !== 'assistant') continue
    const next = messages.findIndex((each: Body, at: number) => at > i && each.role !== 'tool')
    const results = messages.slice(i + 1, next === -1 ? messages.length : next)
    const ids = (list: Body[], key: string) => list.map((each) => each[key])
    found.push(...answered(ids(calls, 'id'), ids(results, 'tool_call_id'), seen))
  }
  return found
}

function ofResponses({ input }: Body): string[] {
  const { found, must } = notes()
  const of = (wanted: string) => input.filter(({ type }: Body) => type === wanted)
  for (const item of input) {
    if (item.role === undefined) continue
    const texts = typeof item.content === 'string' ? [item.content] : item.content.map(({ text }: Body) => text)
    must(texts.length > 0 && texts.every(isSaid), `a message of the ${item.role} without content`)
  }
  for (const { name, arguments: given } of of('function_call')) {
    must(/^[a-zA-Z0-9_-]{1,64}$/.test(name), `the name ${JSON.stringify(name)}`)
    must(isJsonObject(given), `the arguments ${given}`)
  }
  for (const [i, { type }] of input.entries()) {
    const next = input[i + 1]
    const goesOn = next?.type === 'function_call' || next?.type === 'reasoning' || next?.role === 'assistant'
    must(type !== 'reasoning' || goesOn, 'reasoning without what follows it')
  }
  const ids = (list: Body[]) => list.map(({ call_id: id }) => id)
  return [...found, ...answered(ids(of('function_call')), ids(of('function_call_output')), new Set())]
}

function ofGoogle({ contents }: Body): string[] {
  const { found, must } = notes()
  must(contents[0]?.role === 'user', 'the first content must be of the user')
  for (const [i, { role, parts }] of contents.entries()) {
    must(role !== 'model' || contents[i + 1]?.role === 'user', 'a content of the model without an answer')
    must(parts.length > 0, 'a content without parts')
    for (const part of parts) {
      const kinds = ['text', 'functionCall', 'functionResponse'].filter((kind) => kind in part)
      must(kinds.length === 1, `a part of ${kinds.join(' and ') || 'nothing'}`)
      if ('text' in part && !part.thought) must(isSaid(part.text), 'a text without words')
    }
    const names = (list: Body[], kind: string) => list.filter((part) => kind in part).map((part) => part[kind].name)
    for (const { functionCall: call } of parts.filter((part: Body) => 'functionCall' in part)) {
      must(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(call.name), `the name ${JSON.stringify(call.name)}`)
      must(isObject(call.args), 'arguments that are no object')
    }
    if (role !== 'model') continue
    const [calls, results] = [names(parts, 'functionCall'), names(contents[i + 1]?.parts ?? [], 'functionResponse')]
    must(JSON.stringify(calls) === JSON.stringify(results), `calls of ${calls}, answers of ${results}`)
  }
  return found
}

function ofOllama({ messages }: Body): string[] {
  const { found, must } = notes()
  for (const [i, { role, content, tool_calls: calls = [] }] of messages.entries()) {
    must(calls.length > 0 || role === 'tool' || isSaid(content), `a message of the ${role} without content`)
    for (const { function: named } of calls) {
      must(/^[a-zA-Z0-9_-]{1,64}$/.test(named.name), `the name ${JSON.stringify(named.name)}`)
      must(isObject(named.arguments), 'arguments that are no object')
    }
    if (role !== 'assistant') continue
    const results = messages.slice(i + 1, i + 1 + calls.length).filter((each: Body) => each.role === 'tool')
    must(results.length === calls.length, `${calls.length} calls, ${results.length} results`)
  }
  return found
}
