import { createHash } from 'node:crypto'

/** Offsets in an entry of git's index, as its gitformat-index(5) says. */
const at = { changed: 0, written: 8, mode: 24, id: 40 } as const
const gitlink = 0o160000

/**
 * The index of a work tree whose files have all got one time, in seconds since 1970: git knows them
 * unchanged without reading each of them again. Null for an index of a version that packs paths, or
 * with a part that this does not know.
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
    // The time of the last change is not asked for: it cannot be set.
    made.writeUInt32BE(time, entry + at.changed)
    made.writeUInt32BE(0, entry + at.changed + 4)
    if ((index.readUInt32BE(entry + at.mode) & 0o170000) !== gitlink) {
      made.writeUInt32BE(time, entry + at.written)
      made.writeUInt32BE(0, entry + at.written + 4)
    }
    // Filled up with zeros, at least one, to a multiple of eight.
    entry += (end - entry + 8) & ~7
  }
  const body = made.subarray(0, made.length - idBytes)
  createHash(idBytes === 20 ? 'sha1' : 'sha256')
    .update(body)
    .digest()
    .copy(made, body.length)
  return made
}
