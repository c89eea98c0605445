import type { Json } from '../json.ts'

/**
 * Parses JSON as models write it: with a fence around it, comments, quotes and words of Python,
 * names without quotes, an extra comma or bracket, and raw characters inside a text. Only the form
 * is repaired. A text that was cut, or has words around the JSON, gives undefined.
 */
export function parseLoosely(written: string): Json | undefined {
  const text = withoutFence(written.trim())
  try {
    const reader = { text, at: 0 }
    const value = readValue(reader, 0)
    const rest = text.slice(reader.at)
    // The rest adds nothing: extra brackets, or the same value once more.
    if (/^[\]}\s]*$/.test(rest) || rest.trim() === text.slice(0, reader.at).trim()) return value
    return undefined
  } catch (error) {
    if (error instanceof NotJson) return undefined
    throw error
  }
}

class NotJson extends Error {}

interface Reader {
  readonly text: string
  at: number
}

/** No tool has an input that nests deeper. */
const deepest = 200

function withoutFence(text: string): string {
  return /^```[\w-]*\s*\n([\s\S]*?)\n?\s*```$/.exec(text)?.[1] ?? text
}

function skip(reader: Reader): void {
  const space = /(?:\s+|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*/y
  space.lastIndex = reader.at
  space.test(reader.text)
  reader.at = Math.max(reader.at, space.lastIndex)
}

function take(reader: Reader, mark: string): boolean {
  skip(reader)
  if (reader.text[reader.at] !== mark) return false
  reader.at += 1
  return true
}

function readValue(reader: Reader, depth: number): Json {
  if (depth > deepest) throw new NotJson()
  skip(reader)
  switch (reader.text[reader.at]) {
    case '{':
      return readObject(reader, depth)
    case '[':
      return readList(reader, depth)
    case '"':
    case "'":
      return readText(reader)
    default:
      return readWord(reader)
  }
}

function readObject(reader: Reader, depth: number): Json {
  reader.at += 1
  const entries: [string, Json][] = []
  while (!take(reader, '}')) {
    if (entries.length > 0 && !take(reader, ',')) throw new NotJson()
    if (entries.length > 0 && take(reader, '}')) break
    const name = readName(reader)
    if (!take(reader, ':')) throw new NotJson()
    entries.push([name, readValue(reader, depth + 1)])
  }
  return Object.fromEntries(entries)
}

function readList(reader: Reader, depth: number): Json {
  reader.at += 1
  const items: Json[] = []
  while (!take(reader, ']')) {
    if (items.length > 0 && !take(reader, ',')) throw new NotJson()
    if (items.length > 0 && take(reader, ']')) break
    items.push(readValue(reader, depth + 1))
  }
  return items
}

function readName(reader: Reader): string {
  skip(reader)
  if (reader.text[reader.at] === '"' || reader.text[reader.at] === "'") return readText(reader)
  return matched(reader, /[A-Za-z_$][\w$-]*/y)
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** An unknown escape stands for itself, with its backslash: a pattern was meant. */
function readText(reader: Reader): string {
  const { text } = reader
  const quote = text[reader.at]
  let said = ''
  for (reader.at += 1; text[reader.at] !== quote; reader.at += 1) {
    const character = text[reader.at]
    if (character === undefined) throw new NotJson()
    if (character !== '\\') {
      said += character
      continue
    }
    reader.at += 1
    const next = text[reader.at]
    if (next === undefined) throw new NotJson()
    const [, code] = next === 'u' ? (/^([0-9a-fA-F]{4})/.exec(text.slice(reader.at + 1, reader.at + 5)) ?? []) : []
    if (code !== undefined) {
      said += String.fromCharCode(Number.parseInt(code, 16))
      reader.at += 4
    } else if (next in escapes) said += escapes[next]
    else said += `"'\\/\n`.includes(next) ? next.replace('\n', '') : `\\${next}`
  }
  reader.at += 1
  return said
}

const words: Readonly<Record<string, Json>> = {
  true: true,
  false: false,
  null: null,
  True: true,
  False: false,
  None: null,
}

function readWord(reader: Reader): Json {
  const word = matched(reader, /[-+\w.]+/y)
  if (Object.hasOwn(words, word)) return words[word] ?? null
  if (/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(word)) return Number(word)
  throw new NotJson()
}

/** `pattern` is sticky. */
function matched(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.at
  const [found] = pattern.exec(reader.text) ?? []
  if (found === undefined) throw new NotJson()
  reader.at = pattern.lastIndex
  return found
}
