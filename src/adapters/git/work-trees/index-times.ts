import { createHash } from 'node:crypto'

/** Offsets in an entry of git's index; see gitformat-index(5). */
const at = { changed: 0, written: 8, mode: 24, id: 40 } as const
const gitlink = 0o160000

/**
 * The index of a work tree whose files were all set to one time, in seconds since 1970, so that git
 * takes them for unchanged without reading them. Null for an index version with compressed paths,
 * or with an unknown required part.
 */
export function withTime(
  index: Buffer,
  { time, idBytes }: { readonly time: number; readonly idBytes: number },
): Buffer | null {
  const version = index.readUInt32BE(4)
  if (index.toString('latin1', 0, 4) !== 'DIRC' || ![2, 3].includes(version)) return null
  const made = Buffer.from(index)
  let entry = 12
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const flags = entry + at.id + idBytes
    const isExtended = (index.readUInt16BE(flags) & 0x4000) !== 0
    const end = index.indexOf(0, flags + (isExtended ? 4 : 2))
    if (end < 0) return null
    // The time of the last change is not checked, since it cannot be set.
    made.writeUInt32BE(time, entry + at.changed)
    made.writeUInt32BE(0, entry + at.changed + 4)
    if ((index.readUInt32BE(entry + at.mode) & 0o170000) !== gitlink) {
      made.writeUInt32BE(time, entry + at.written)
      made.writeUInt32BE(0, entry + at.written + 4)
    }
    // Entries are padded with at least one zero to a multiple of eight.
    entry += (end - entry + 8) & ~7
  }
  const body = made.subarray(0, made.length - idBytes)
  createHash(idBytes === 20 ? 'sha1' : 'sha256')
    .update(body)
    .digest()
    .copy(made, body.length)
  return made
}
