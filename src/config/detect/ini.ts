export type Sections = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

/** Reads a file such as setup.cfg or tox.ini: the lines of each value by section and key. */
export function parseIni(text: string | undefined): Sections {
  const sections = new Map<string, Map<string, string[]>>()
  let section = new Map<string, string[]>()
  let value: string[] | undefined
  for (const line of (text ?? '').split('\n')) {
    if (/^\s*(?:[#;]|$)/.test(line)) continue
    const header = /^\[([^\]]+)\]/.exec(line)?.[1]
    const [, key, first = ''] = /^([^\s=:][^=:]*?)\s*[=:]\s*(.*)$/.exec(line) ?? []
    if (header !== undefined) {
      section = sections.get(header) ?? new Map()
      sections.set(header, section)
      value = undefined
    } else if (/^\s/.test(line)) value?.push(line.trim())
    else if (key !== undefined) {
      value = first === '' ? [] : [first]
      section.set(key, value)
    }
  }
  return sections
}
