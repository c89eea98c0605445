import { LayerRefused } from '../../../ports/artifacts.ts'

/** Reads lines and the bytes between them from a stream, with at most one of these in memory. */
export interface EntryReader {
  /**
   * The line without its end. Throws LayerRefused when it is longer than `maxBytes` or has no end.
   */
  line(maxBytes: number): Promise<string>
  /**
   * Yields exactly this many bytes, in the pieces in which they arrive. The caller must read all of
   * them.
   */
  content(bytes: number): AsyncIterable<Uint8Array>
  /** Throws LayerRefused when anything follows. */
  end(): Promise<void>
}

export function createEntryReader(source: AsyncIterable<Uint8Array>): EntryReader {
  const chunks = source[Symbol.asyncIterator]()
  let held: Uint8Array = new Uint8Array()

  async function more(): Promise<boolean> {
    const { done, value } = await chunks.next()
    if (!done) held = held.byteLength === 0 ? value : Buffer.concat([held, value])
    return !done
  }

  return {
    async line(maxBytes) {
      for (;;) {
        const at = held.indexOf(0x0a)
        if (at > maxBytes || (at < 0 && held.byteLength > maxBytes)) throw new LayerRefused('a line of it is too long')
        if (at >= 0) {
          const text = Buffer.from(held.subarray(0, at)).toString('utf8')
          held = held.subarray(at + 1)
          return text
        }
        if (!(await more())) throw new LayerRefused('its end is missing')
      }
    },
    async *content(bytes) {
      for (let left = bytes; left > 0; ) {
        if (held.byteLength === 0 && !(await more())) throw new LayerRefused('its end is missing')
        const piece = held.subarray(0, left)
        held = held.subarray(piece.byteLength)
        left -= piece.byteLength
        if (piece.byteLength > 0) yield piece
      }
    },
    async end() {
      while (held.byteLength === 0) if (!(await more())) return
      throw new LayerRefused('something follows its end')
    },
  }
}
