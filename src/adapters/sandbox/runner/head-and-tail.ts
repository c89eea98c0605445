/** The first and last bytes of a stream, without buffering the bytes between them. */
export async function headAndTail(stream: AsyncIterable<Buffer>, maxBytes: number) {
  const head = Buffer.allocUnsafe(Math.ceil(maxBytes / 2))
  const tail = Buffer.allocUnsafe(Math.floor(maxBytes / 2))
  let headSize = 0
  let tailSize = 0
  for await (const chunk of stream) {
    const rest = chunk.subarray(chunk.copy(head, headSize))
    headSize += chunk.length - rest.length
    // A ring buffer: of a chunk larger than the buffer, only the last part stays.
    const kept = rest.subarray(Math.max(0, rest.length - tail.length))
    const at = tail.length === 0 ? 0 : (tailSize + rest.length - kept.length) % tail.length
    const wrapped = kept.copy(tail, at)
    kept.copy(tail, 0, wrapped)
    tailSize += rest.length
  }
  const leftOut = Math.max(0, tailSize - tail.length)
  if (leftOut === 0) {
    return {
      output: Buffer.concat([head.subarray(0, headSize), tail.subarray(0, tailSize)]).toString(),
      truncated: false,
    }
  }
  const oldest = tail.length === 0 ? 0 : tailSize % tail.length
  const last = Buffer.concat([tail.subarray(oldest), tail.subarray(0, oldest)])
  return {
    output: `${head.toString()}\n[… ${leftOut} bytes left out …]\n${withoutCutCharacter(last).toString()}`,
    truncated: true,
  }
}

function withoutCutCharacter(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80)
  return bytes.subarray(Math.max(0, Math.min(start, 3)))
}
