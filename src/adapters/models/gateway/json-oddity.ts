/** The index after a JSON string whose quote is at `start`. */
function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let backslashes = 0
    while (json[at - 1 - backslashes] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return at + 1
  }
  return json.length
}

/**
 * The problem with valid JSON that parsers read differently; null if there is none. Parsers
 * disagree about duplicate keys, so the provider could read another value than the gateway; and
 * deep nesting overflows a recursive parser.
 */
export function oddityOf(json: string, deepest: number): 'key_twice' | 'too_deep' | null {
  // The keys of each open object; null for a list.
  const open: (Set<string> | null)[] = []
  for (let at = 0; at < json.length; at += 1) {
    if (open.length > deepest) return 'too_deep'
    const sign = json[at]
    if (sign === '{') open.push(new Set())
    else if (sign === '[') open.push(null)
    else if (sign === '}' || sign === ']') open.pop()
    else if (sign === '"') {
      const end = endOfText(json, at)
      const keys = open.at(-1)
      if (keys && isBeforeColon(json, end)) {
        const key = JSON.parse(json.slice(at, end)) as string
        if (keys.has(key)) return 'key_twice'
        keys.add(key)
      }
      at = end - 1
    }
  }
  return null
}

function isBeforeColon(json: string, end: number): boolean {
  let at = end
  while (' \t\r\n'.includes(json[at] ?? 'x')) at += 1
  return json[at] === ':'
}
