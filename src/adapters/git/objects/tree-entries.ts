/** An entry of a tree. */
export interface TreeEntry {
  /** Six digits, such as `100644`. */
  readonly mode: string
  readonly id: string
}

/**
 * The entries of a tree by name, with each byte of a name as a character (`latin1`). Git stores an
 * entry as mode, name, NUL and the bytes of the id, of which a SHA-1 has 20.
 */
export function treeEntries(tree: Buffer, idBytes: number): ReadonlyMap<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>()
  for (let at = 0; at < tree.length; ) {
    const space = tree.indexOf(' ', at)
    const end = tree.indexOf(0, space)
    const id = tree.toString('hex', end + 1, end + 1 + idBytes)
    const mode = tree.toString('latin1', at, space).padStart(6, '0')
    entries.set(tree.toString('latin1', space + 1, end), { mode, id })
    at = end + 1 + idBytes
  }
  return entries
}

/** A name in the encoding of `treeEntries`. */
export function latin1Name(name: string): string {
  return Buffer.from(name).toString('latin1')
}
