import { chmod, link, mkdir, open, symlink, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { limits } from '../../../domain/limits.ts'
import { LayerRefused } from '../../../ports/artifacts.ts'
import { type Entry, heading, lineBytes, readEntry } from './entry.ts'
import { createEntryReader, type EntryReader } from './entry-reader.ts'

/** The limits of the writes that run at the same time. */
const filesAtOnce = 16
const fileBytesAtOnce = 1 << 18

type Of<Type extends Entry['type']> = Extract<Entry, { type: Type }>

interface Unpacking {
  /** An existing empty folder that no other process writes to. */
  readonly tree: string
  /** The folders that make up the layer. Their parent folders exist in `tree`. */
  readonly outputs: readonly string[]
}

interface Ending {
  readonly signal: AbortSignal
  /** The bounds of a layer; tests set smaller ones. */
  readonly bounds?: { readonly entries: number; readonly unpackedBytes: number }
}

/**
 * Writes the files of a packed layer. The sender is not trusted: each entry lies in a folder that
 * was created here before it, so no link redirects a write; nothing is replaced; and the total is
 * bounded. Throws LayerRefused, and may leave some files behind. All writes have finished when it
 * returns.
 */
export async function unpackLayer(
  content: AsyncIterable<Uint8Array>,
  unpacking: Unpacking,
  { signal, bounds = limits.sharedLayers }: Ending,
): Promise<void> {
  const unpacked = createZstdDecompress()
  // The reader of the stream gets its errors.
  pipeline(Readable.from(content), unpacked, () => undefined)
  const files = createWrites()
  try {
    await makeAll(createEntryReader(asRefusals(unpacked)), { ...unpacking, signal, bounds, files })
  } finally {
    unpacked.destroy()
    await files.settled()
  }
}

/** A stream that does not decompress means that the layer is refused. */
async function* asRefusals(unpacked: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield* unpacked
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? `${error.code}` : ''
    throw code.startsWith('ZSTD_') || code === 'Z_BUF_ERROR' ? new LayerRefused('it cannot be decompressed') : error
  }
}

async function makeAll(
  reader: EntryReader,
  { tree, outputs, signal, bounds, files }: Unpacking & Required<Ending> & { readonly files: Writes },
): Promise<void> {
  const { entries: mostEntries, unpackedBytes } = bounds
  if ((await reader.line(lineBytes)) !== heading) throw new LayerRefused('it does not begin like one')
  /** The type of each entry that was created, by path and in order. */
  const made = new Map<string, Entry['type']>()
  const folders: Of<'folder'>[] = []
  let bytes = 0
  for (;;) {
    signal.throwIfAborted()
    const entry = readEntry(await reader.line(lineBytes))
    if (entry.type === 'end') {
      if (entry.entries !== made.size) throw new LayerRefused('entries of it are missing')
      break
    }
    const { path } = entry
    const isOutput = entry.type === 'folder' && outputs.includes(path)
    if (!isOutput && made.get(dirname(path)) !== 'folder') throw new LayerRefused('an entry of it lies in no folder')
    if (made.has(path)) throw new LayerRefused('an entry of it is there twice')
    if (made.size >= mostEntries) throw new LayerRefused(`it has more than ${mostEntries} files`)
    made.set(path, entry.type)
    const at = join(tree, path)
    if (entry.type === 'folder') {
      // The folder's own permissions could forbid creating its entries, so they are set at the end.
      await mkdir(at, { mode: 0o700 })
      folders.push(entry)
    } else if (entry.type === 'link') await symlink(entry.target, at)
    else if (entry.type === 'same') {
      if (made.get(entry.as) !== 'file') throw new LayerRefused('a second name in it is of no file')
      await files.settled()
      await link(join(tree, entry.as), at)
    } else {
      bytes += entry.bytes
      if (bytes > unpackedBytes) throw new LayerRefused(`it has more than ${unpackedBytes} bytes`)
      await files.write(at, entry, reader.content(entry.bytes))
    }
  }
  await reader.end()
  signal.throwIfAborted()
  await files.settled()
  if (files.failure() !== null) throw files.failure()
  const missing = outputs.find((output) => !made.has(output))
  if (missing !== undefined) throw new LayerRefused(`${missing} is not in it`)
  for (const { path, mode, time } of folders.reverse()) {
    const seconds = time / 1_000
    await utimes(join(tree, path), seconds, seconds)
    await chmod(join(tree, path), mode)
  }
}

interface Writes {
  write(path: string, file: Of<'file'>, content: AsyncIterable<Uint8Array>): Promise<void>
  /** Resolves once no write is running. Never rejects. */
  settled(): Promise<void>
  /** The error of a write that failed in the background. */
  failure(): unknown
}

/** Small files are written concurrently, since most of the time is spent waiting for the disk. */
function createWrites(): Writes {
  const underWay = new Set<Promise<void>>()
  let failure: unknown = null
  return {
    async write(path, file, content) {
      if (failure !== null) throw failure
      if (file.bytes > fileBytesAtOnce) return writeFile(path, file, content)
      const whole: Uint8Array[] = []
      for await (const piece of content) whole.push(piece)
      const writing = writeFile(path, file, whole)
        .catch((error: unknown) => {
          failure ??= error
        })
        .finally(() => underWay.delete(writing))
      underWay.add(writing)
      if (underWay.size >= filesAtOnce) await Promise.race(underWay)
    },
    async settled() {
      await Promise.all(underWay)
    },
    failure: () => failure,
  }
}

/** The name must be free, so that no existing file is overwritten and no link is followed. */
async function writeFile(
  path: string,
  { mode, time }: Of<'file'>,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const piece of content) await file.writeFile(piece)
    await file.utimes(time / 1_000, time / 1_000)
    await file.chmod(mode)
  } finally {
    await file.close()
  }
}
