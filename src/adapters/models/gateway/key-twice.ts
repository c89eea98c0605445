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
 * Whether an object in valid JSON names a key twice. Readers disagree on which of the two counts,
 * so what the gateway has read could differ from what the provider does.
 */
export function namesKeyTwice(json: string): boolean {
  // The keys of each object that is open; null for a list.
  const open: (Set<string> | null)[] = []
  for (let at = 0; at < json.length; at += 1) {
    const sign = json[at]
    if (sign === '{') open.push(new Set())
    else if (sign === '[') open.push(null)
    else if (sign === '}' || sign === ']') open.pop()
    else if (sign === '"') {
      const end = endOfText(json, at)
      const keys = open.at(-1)
      if (keys && isBeforeColon(json, end)) {
        const key = JSON.parse(json.slice(at, end)) as string
        if (keys.has(key)) return true
        keys.add(key)
      }
      at = end - 1
    }
  }
  return false
}

function isBeforeColon(json: string, end: number): boolean {
  let at = end
  while (' \t\r\n'.includes(json[at] ?? 'x')) at += 1
  return json[at] === ':'
}
