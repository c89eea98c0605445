/** Positions of what comes after a text that begins at `start` with a quote. */
function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let backslashes = 0
    while (json[at - 1 - backslashes] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return at + 1
  }
  return json.length
}

/**
 * What is wrong with valid JSON for a reader that wants to be sure; null for nothing. Readers
 * disagree on which of two equal keys counts, so what the gateway has read could differ from what
 * the provider does; and what is too deep ends a reader that calls itself.
 */
export function oddityOf(json: string, deepest: number): 'key_twice' | 'too_deep' | null {
  // The keys of each object that is open; null for a list.
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
