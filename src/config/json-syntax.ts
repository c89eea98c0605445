/**
 * Where a text stops being JSON, as line and column from 1; null when it is JSON. JSON.parse itself
 * names a position for some mistakes only.
 */
export function jsonSyntaxError(text: string): { readonly line: number; readonly column: number } | null {
  const offset = errorOffset(text)
  if (offset === null) return null
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

const blank = /[ \t\n\r]*/y
const token =
  /[{}[\],:]|"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end'

function errorOffset(text: string): number | null {
  const open: ('{' | '[')[] = []
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    at = endOf(blank, text, at) ?? at
    if (expected === 'comma or end' && open.length === 0) return at === text.length ? null : at
    const end = endOf(token, text, at)
    const next: Expected | null = end === null ? null : follow(expected, text.slice(at, end), open)
    if (end === null || next === null) return at
    expected = next
    at = end
  }
}

/**
 * What must come after `found`; null when it may not be there. Keeps `open`, the brackets around
 * it.
 */
function follow(expected: Expected, found: string, open: ('{' | '[')[]): Expected | null {
  switch (expected) {
    case 'colon':
      return found === ':' ? 'value' : null
    case 'comma or end':
      if (found === ',') return open.at(-1) === '{' ? 'key' : 'value'
      return close(found, open)
    case 'key':
    case 'key or }':
      if (found.startsWith('"')) return 'colon'
      return expected === 'key or }' ? close(found, open) : null
    case 'value':
    case 'value or ]':
      if (found === '{' || found === '[') {
        open.push(found)
        return found === '{' ? 'key or }' : 'value or ]'
      }
      if (found === ']') return expected === 'value or ]' ? close(found, open) : null
      return /^[},:]/.test(found) ? null : 'comma or end'
    default:
      throw new Error(`unknown expectation ${expected satisfies never}`)
  }
}

function close(found: string, open: ('{' | '[')[]): Expected | null {
  if (found !== (open.at(-1) === '{' ? '}' : ']')) return null
  open.pop()
  return 'comma or end'
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}
