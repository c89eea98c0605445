import { isUtf8 } from 'node:buffer'
import { constants, type Stats } from 'node:fs'
import { lstat, open, opendir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createZstdCompress } from 'node:zlib'
import { limits } from '../../../domain/limits.ts'
import { type Layer, LayerRefused } from '../../../ports/artifacts.ts'
import { type Entry, heading } from './entry.ts'

const chunkBytes = 1 << 18

/**
 * The outputs of a layer as one compressed stream, with equal bytes for equal files. Throws
 * LayerRefused for files that other machines could not reproduce: devices, names that are not
 * UTF-8, or too much data.
 */
export function packLayer(layer: Pick<Layer, 'folder' | 'outputs' | 'scratch'>): AsyncIterable<Uint8Array> {
  const packing = createZstdCompress()
  // The reader of the stream gets its errors.
  pipeline(Readable.from(inChunks(piecesOf(layer))), packing, () => undefined)
  return packing
}

/** Small pieces are joined, since most files are too small to be worth a chunk of their own. */
async function* inChunks(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let held: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    held.push(piece)
    bytes += piece.byteLength
    if (bytes < chunkBytes) continue
    yield Buffer.concat(held)
    held = []
    bytes = 0
  }
  yield Buffer.concat(held)
}

async function* piecesOf({ folder, outputs, scratch }: Parameters<typeof packLayer>[0]): AsyncIterable<Uint8Array> {
  const { entries: most, unpackedBytes } = limits.sharedLayers
  /** The first path of each file that has several hard links. */
  const known = new Map<string, string>()
  let entries = 0
  let bytes = 0
  yield Buffer.from(`${heading}\n`)
  for await (const { path, stats } of below(folder, { outputs, except: new Set(scratch) })) {
    entries += 1
    if (entries > most) throw new LayerRefused(`it has more than ${most} files`)
    const about = { path, mode: stats.mode & 0o777, time: Math.max(0, Math.floor(stats.mtimeMs)) }
    const id = `${stats.dev}:${stats.ino}`
    const as = stats.isFile() && stats.nlink > 1 ? known.get(id) : undefined
    if (stats.isDirectory()) yield line({ type: 'folder', ...about })
    else if (stats.isSymbolicLink())
      yield line({ type: 'link', path, target: words(await readlink(join(folder, path), { encoding: 'buffer' })) })
    else if (as !== undefined) yield line({ type: 'same', path, as })
    else if (stats.isFile()) {
      bytes += stats.size
      if (bytes > unpackedBytes) throw new LayerRefused(`it has more than ${unpackedBytes} bytes`)
      if (stats.nlink > 1) known.set(id, path)
      yield line({ type: 'file', ...about, bytes: stats.size })
      yield* contentOf(join(folder, path), stats.size)
    } else throw new LayerRefused(`${path} is neither file, folder nor link`)
  }
  yield line({ type: 'end', entries })
}

interface FolderEntry {
  /** The path below the layer's folder. */
  readonly path: string
  readonly stats: Stats
}

/** Yields a folder before its entries, sorted by name. Links are not followed. */
async function* below(
  folder: string,
  { outputs, except }: { readonly outputs: readonly string[]; readonly except: ReadonlySet<string> },
): AsyncIterable<FolderEntry> {
  const open = outputs.toSorted().reverse()
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (path.length > limits.sharedLayers.pathChars) throw new LayerRefused('a path in it is too long')
    const stats = await lstat(join(folder, path))
    yield { path, stats }
    if (!stats.isDirectory()) continue
    const names: string[] = []
    for await (const { name } of await opendir(join(folder, path), { encoding: 'buffer' as 'utf8' })) {
      names.push(words(name as unknown as Buffer))
      if (names.length > limits.sharedLayers.entries) throw new LayerRefused('a folder in it has too many files')
    }
    const paths = names.map((name) => `${path}/${name}`).filter((each) => !except.has(each))
    open.push(...paths.sort().reverse())
  }
}

function words(name: Buffer): string {
  if (!isUtf8(name)) throw new LayerRefused('a name in it is not UTF-8')
  return name.toString('utf8')
}

function line(entry: Entry): Uint8Array {
  return Buffer.from(`${JSON.stringify(entry)}\n`)
}

async function* contentOf(path: string, bytes: number): AsyncIterable<Uint8Array> {
  if (bytes === 0) return
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    for (let left = bytes; left > 0; ) {
      const size = Math.min(left, 1 << 20)
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(size), 0, size, null)
      if (bytesRead === 0) throw new LayerRefused('a file in it became shorter')
      left -= bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}
