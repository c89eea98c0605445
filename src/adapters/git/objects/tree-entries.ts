export interface TreeEntry {
  /** Six octal digits: `100644`, `100755`, `120000`, `160000` or `040000`. */
  readonly mode: string
  readonly id: string
}

/** Entries by name, with each byte of a name as a character (`latin1`). */
export type TreeEntries = ReadonlyMap<string, TreeEntry>

/**
 * The entries of a tree in git's order. Git stores an entry as mode, name, NUL and the bytes of the
 * id, 20 for SHA-1.
 */
export function treeEntries(tree: Buffer, idBytes: number): TreeEntries {
  const entries = new Map<string, TreeEntry>()
  for (let at = 0; at < tree.length; ) {
    const space = tree.indexOf(' ', at)
    const end = tree.indexOf(0, space)
    const id = tree.toString('hex', end + 1, end + 1 + idBytes)
    const mode = plainMode(tree.toString('latin1', at, space))
    entries.set(tree.toString('latin1', space + 1, end), { mode, id })
    at = end + 1 + idBytes
  }
  return entries
}

/** The mode as git normalizes it. Old versions of git stored all permissions of a file. */
function plainMode(octal: string): string {
  const mode = Number.parseInt(octal, 8)
  const kind = mode & 0o170000
  if (kind === 0o100000) return mode & 0o100 ? '100755' : '100644'
  if (kind === 0o040000) return '040000'
  return kind === 0o120000 ? '120000' : '160000'
}

/** The content of a tree with these entries, as git stores it. */
export function treeContent(entries: TreeEntries): Buffer {
  // Git sorts a folder as if its name ended with a slash.
  const key = (name: string, { mode }: TreeEntry) => (isFolder(mode) ? `${name}/` : name)
  const sorted = [...entries].map(([name, entry]) => ({ name, entry, key: key(name, entry) }))
  sorted.sort((a, b) => (a.key < b.key ? -1 : 1))
  const parts = sorted.flatMap(({ name, entry: { mode, id } }) => [
    Buffer.from(`${mode.replace(/^0+/, '')} ${name}\0`, 'latin1'),
    Buffer.from(id, 'hex'),
  ])
  return Buffer.concat(parts)
}

/** True if an entry of this mode is a folder. */
export function isFolder(mode: string): boolean {
  return mode === '040000'
}

/** Encodes a name as `treeEntries` does. */
export function latin1Name(name: string): string {
  return Buffer.from(name).toString('latin1')
}
