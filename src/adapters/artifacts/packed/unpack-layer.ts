import { chmod, link, mkdir, open, symlink, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { limits } from '../../../domain/limits.ts'
import { LayerRefused } from '../../../ports/artifacts.ts'
import { type Entry, heading, lineBytes, readEntry } from './entry.ts'
import { createEntryReader, type EntryReader } from './entry-reader.ts'

/** What may be handed to the disk at once. */
const filesAtOnce = 16
const fileBytesAtOnce = 1 << 18

type Of<Type extends Entry['type']> = Extract<Entry, { type: Type }>

interface Unpacking {
  /** A folder that is there, empty, and that nobody else writes into. */
  readonly tree: string
  /** The folders that the layer consists of, each with all folders above it in `tree`. */
  readonly outputs: readonly string[]
}

interface Ending {
  readonly signal: AbortSignal
  /** Of what a layer may have. For tests. */
  readonly bounds?: { readonly entries: number; readonly unpackedBytes: number }
}

/**
 * Makes the files of a packed layer. Whoever has packed it is not believed: each entry lies in a
 * folder that was made here before it, so no link leads a write anywhere; nothing is replaced; and
 * all of it is bounded. LayerRefused, after which some files may be there. Ends when no write is
 * under way any more.
 */
export async function unpackLayer(
  content: AsyncIterable<Uint8Array>,
  unpacking: Unpacking,
  { signal, bounds = limits.sharedLayers }: Ending,
): Promise<void> {
  const unpacked = createZstdDecompress()
  // Whoever reads it is told of its errors.
  pipeline(Readable.from(content), unpacked, () => undefined)
  const files = createWrites()
  try {
    await makeAll(createEntryReader(asRefusals(unpacked)), { ...unpacking, signal, bounds, files })
  } finally {
    unpacked.destroy()
    await files.settled()
  }
}

/** What is not compressed as it should be is no layer. */
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
  /** What was made, by its path, in order. */
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
      // Its own permissions may forbid what is to come into it.
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
  /** No write is under way. Never rejects. */
  settled(): Promise<void>
  /** Of a write that was under way. */
  failure(): unknown
}

/** Small files are written side by side, since most of the time goes by until the disk answers. */
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

/** The name must be free: what is there is never written to, nor any link followed. */
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
