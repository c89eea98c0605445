import type { Readable, Transform } from 'node:stream'

/**
 * The body without the content encodings that its headers name. Requests ask for none, but some
 * servers and proxies compress anyway. Reading fails for an unknown encoding.
 */
export function unpacked(body: Readable, contentEncoding: string): Readable {
  const encodings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((each) => each.trim().replace(/^x-/, ''))
    .filter((each) => each !== '' && each !== 'identity')
  if (encodings.length === 0) return body
  const { Readable: Stream } = process.getBuiltinModule('node:stream')
  return encodings.reduceRight((packed, encoding) => Stream.from(unpack(packed, encoding), { objectMode: false }), body)
}

async function* unpack(body: Readable, encoding: string): AsyncGenerator<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]()
  let broken = null as { readonly error: unknown } | null
  const next = () =>
    pieces.next().catch((error: unknown) => {
      broken = { error }
      throw error
    })
  try {
    const first = await next()
    if (first.done) return
    const rest = { [Symbol.asyncIterator]: () => ({ next }) }
    const { pipeline } = process.getBuiltinModule('node:stream')
    // The pipeline's error also ends the reading below, so it needs no other handling.
    yield* pipeline(joined(first.value, rest), unpackerOf(encoding, first.value), () => undefined)
  } catch (error) {
    // The error of the broken connection says more.
    if (broken !== null) throw broken.error
    if (error instanceof UnknownEncoding) throw error
    // zlib's messages concern only its own formats.
    throw new Error(
      `its answer is marked as packed with ${encoding.slice(0, 40)}, and cannot be unpacked as that. Check the server and any proxy before it.`,
    )
  } finally {
    body.destroy()
  }
}

async function* joined(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  yield* rest
}

/** An answer that is cut off yields the bytes that came; its format shows if it is whole. */
function unpackerOf(encoding: string, [first = 0]: Uint8Array): Transform {
  const zlib = process.getBuiltinModule('node:zlib')
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants
  const lenient = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }
  switch (encoding) {
    case 'gzip':
      return zlib.createGunzip(lenient)
    case 'deflate':
      // Some servers leave out the zlib header that the standard requires.
      return (first & 0x0f) === 0x08 ? zlib.createInflate(lenient) : zlib.createInflateRaw(lenient)
    case 'br':
      return zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH })
    case 'zstd':
      return zlib.createZstdDecompress({ flush: ZSTD_e_flush, finishFlush: ZSTD_e_flush })
    default:
      throw new UnknownEncoding(encoding)
  }
}

class UnknownEncoding extends Error {
  constructor(encoding: string) {
    super(
      `its answer is packed with ${encoding.slice(0, 40)}, which Drydock does not know. Let the server, or the proxy before it, send answers unpacked.`,
    )
  }
}
