import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, link, lstat, mkdir, readdir, readlink, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createArtifacts } from '../../../src/adapters/artifacts/artifacts.ts'
import { unpackLayer } from '../../../src/adapters/artifacts/packed/unpack-layer.ts'
import { removeFolder } from '../../../src/adapters/artifacts/remove-folder.ts'
import { limits } from '../../../src/domain/limits.ts'
import { type Layer, LayerRefused } from '../../../src/ports/artifacts.ts'

const { signal } = new AbortController()

let top: string
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'drydock-packed-'))
})
afterEach(() => removeFolder(top))

const artifactsOf = (machine: string) => createArtifacts(join(top, machine), String)

/** A layer made by a step on the machine `one`. */
async function madeLayer(fill: (deps: string) => Promise<unknown>, outputs = ['deps']): Promise<Layer> {
  const draft = await artifactsOf('one').draftLayer('abc')
  const deps = join(draft.upper, 'deps')
  await mkdir(deps)
  await fill(deps)
  draft.log.close()
  const layer = await draft.keep(outputs, { isOfStart: true })
  if ('missing' in layer) throw new Error(layer.missing)
  return layer
}

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function* inPieces(bytes: Uint8Array, size = 1_000) {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size)
}

/** Describes everything below a folder that may matter to a tool. */
async function described(folder: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const path = join(folder, name)
    const stats = await lstat(path)
    const target = stats.isSymbolicLink() ? await readlink(path) : ''
    const content = stats.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''
    const times = stats.isSymbolicLink() ? '' : Math.floor(stats.mtimeMs)
    const names = stats.isFile() ? stats.nlink : ''
    found.push([name, stats.mode.toString(8), times, names, target, content].join(' '))
  }
  return found
}

describe('a packed layer', () => {
  test('is the same on another machine: contents, modes, times, links, second names, empty and read-only folders', async () => {
    const layer = await madeLayer(async (deps) => {
      await mkdir(join(deps, 'bin/empty'), { recursive: true })
      await writeFile(join(deps, 'bin/tool'), '#!/bin/sh\n', { mode: 0o755 })
      await chmod(join(deps, 'bin/tool'), 0o555)
      await link(join(deps, 'bin/tool'), join(deps, 'second'))
      await symlink('bin/tool', join(deps, 'a link'))
      await symlink('/usr/bin/env', join(deps, 'absolute'))
      await writeFile(join(deps, 'large'), Buffer.alloc(3_000_001, 'abc'))
      await writeFile(join(deps, 'none'), '')
      await writeFile(join(deps, 'ü \n"\\'), 'odd')
      for (let i = 0; i < 100; i += 1) await writeFile(join(deps, `small-${i}`), `${i}`.repeat(i))
      await utimes(join(deps, 'none'), 1_000_000_000, 1_000_000_000.5)
      await chmod(join(deps, 'bin'), 0o555)
    })
    const packed = await bytesOf(artifactsOf('one').packLayer(layer))
    const there = await artifactsOf('two').unpackLayer({ key: 'abc', outputs: ['deps'] }, inPieces(packed), signal)
    expect(there).toEqual({ ...layer, folder: join(top, 'two/cache/layers/abc/tree') })
    expect(await described(there.folder)).toEqual(await described(layer.folder))
    expect(await bytesOf(artifactsOf('two').packLayer(there))).toEqual(packed)
    expect(await artifactsOf('two').layer('abc')).toEqual(there)
    expect(readdirSync(join(top, 'two/cache/layers'))).toEqual(['abc'])
  })

  test('names its files in order, however the disk has them', async () => {
    const layer = await madeLayer(async (deps) => {
      for (const name of ['b', 'c', 'a', 'd', 'B', 'ä', '1']) await writeFile(join(deps, name), '')
    })
    const text = zstdDecompressSync(await bytesOf(artifactsOf('one').packLayer(layer))).toString('utf8')
    const paths = text.split('\n').flatMap((line) => /"path":"([^"]*)"/.exec(line)?.[1] ?? [])
    expect(paths).toEqual(['deps', ...['1', 'B', 'a', 'b', 'c', 'd', 'ä'].map((name) => `deps/${name}`)])
  })

  test('leaves out the rights by which a program is somebody else', async () => {
    const layer = await madeLayer(async (deps) => {
      await writeFile(join(deps, 'su'), 'x')
      await chmod(join(deps, 'su'), 0o6755)
      await mkdir(join(deps, 'sticky'))
      await chmod(join(deps, 'sticky'), 0o3777)
    })
    const packed = artifactsOf('one').packLayer(layer)
    const there = await artifactsOf('two').unpackLayer({ key: 'abc', outputs: ['deps'] }, packed, signal)
    const modes = ['su', 'sticky'].map(async (name) => (await lstat(join(there.folder, 'deps', name))).mode & 0o7777)
    expect(await Promise.all(modes)).toEqual([0o755, 0o777])
  })

  test('has the folders that tools write into on each machine', async () => {
    const draft = await artifactsOf('one').draftLayer('abc')
    await mkdir(join(draft.upper, 'web/node_modules/.cache'), { recursive: true })
    await writeFile(join(draft.upper, 'web/node_modules/.cache/kept'), 'kept')
    draft.log.close()
    const layer = (await draft.keep(['web/node_modules'], { isOfStart: true })) as Layer
    const there = await artifactsOf('two').unpackLayer(layer, artifactsOf('one').packLayer(layer), signal)
    expect(there.scratch).toEqual(layer.scratch)
    expect(there.scratch).toContain('web/node_modules/.vite')
    expect(readFileSync(join(there.folder, 'web/node_modules/.cache/kept'), 'utf8')).toBe('kept')
  })

  test.each<[string, (deps: string) => unknown]>([
    ['a pipe', (deps) => execFileSync('mkfifo', [join(deps, 'pipe')])],
    ['a name that is no UTF-8', (deps) => writeFile(Buffer.concat([Buffer.from(`${deps}/`), Buffer.from([0xff])]), '')],
    ['a link to what is no UTF-8', (deps) => symlink(Buffer.from([0x61, 0xff]), join(deps, 'link'))],
  ])('is none when a step has left %s in it', async (_, leave) => {
    const layer = await madeLayer(async (deps) => leave(deps))
    await expect(bytesOf(artifactsOf('one').packLayer(layer))).rejects.toThrow(LayerRefused)
  })
})

const file = (path: string, content = 'evil', more: object = {}) =>
  `${JSON.stringify({ type: 'file', path, mode: 0o644, time: 0, bytes: content.length, ...more })}\n${content}`
const said = (entry: object) => `${JSON.stringify(entry)}\n`
const folder = (path: string) => said({ type: 'folder', path, mode: 0o755, time: 0 })
const linkTo = (target: string, path: string) => said({ type: 'link', path, target })
const end = (entries: number) => said({ type: 'end', entries })
const deps = folder('deps')

describe('packed layers that cannot be trusted', () => {
  /** OUTSIDE is a folder that an attack may reach without harm. */
  const placed = (text: string) => text.replaceAll('OUTSIDE', top)
  const unpack = (text: string | Uint8Array, outputs = ['deps']) => {
    const packed = typeof text === 'string' ? zstdCompressSync(Buffer.from(`drydock layer 1\n${placed(text)}`)) : text
    return artifactsOf('two').unpackLayer({ key: 'abc', outputs }, inPieces(packed, 7), signal)
  }

  test('is taken when it is fine', async () => {
    const { folder: tree } = await unpack(deps + file('deps/a') + linkTo('..', 'deps/up') + end(3))
    expect(readFileSync(join(tree, 'deps/a'), 'utf8')).toBe('evil')
  })

  test.each<[string, string | Uint8Array]>([
    ['an absolute path', deps + file('OUTSIDE/evil') + end(2)],
    ['a way up', deps + file('deps/../../../evil') + end(2)],
    ['a way up at its end', `${deps}${folder('deps/..')}${end(2)}`],
    ['a path that is a dot', `${deps}${folder('deps/.')}${end(2)}`],
    ['an empty part of a path', deps + file('deps//evil') + end(2)],
    ['a path with a NUL', deps + file('deps/e\0vil') + end(2)],
    ['a path that no disk has as it is', deps + linkTo('..', 'deps/\ud800') + file('deps/\ud801') + end(3)],
    ['a link to what no disk has as it is', deps + linkTo('\ud800', 'deps/a') + end(2)],
    ['a path that is too long', deps + file(`deps/${'e'.repeat(4_096)}`) + end(2)],
    ['a file that lies in no output', deps + file('evil') + end(2)],
    ['a file below a folder that is missing', deps + file('deps/not/there') + end(2)],
    ['a file below a link', deps + linkTo('../../../..', 'deps/up') + file('deps/up/evil') + end(3)],
    ['a folder below a link', deps + linkTo('OUTSIDE', 'deps/tmp') + folder('deps/tmp/evil') + end(3)],
    ['an output that is a link', linkTo('OUTSIDE', 'deps') + file('deps/evil') + end(2)],
    ['a link that becomes a file', deps + linkTo('../../evil', 'deps/a') + file('deps/a') + end(3)],
    [
      'a link that becomes a folder',
      deps + linkTo('../..', 'deps/a') + folder('deps/a') + file('deps/a/evil') + end(4),
    ],
    ['a file that becomes a link', deps + file('deps/a') + linkTo('/etc/passwd', 'deps/a') + end(3)],
    ['a folder that becomes a link', deps + folder('deps/a') + linkTo('OUTSIDE', 'deps/a') + end(3)],
    ['a file twice', deps + file('deps/a') + file('deps/a') + end(3)],
    ['a file in a file', deps + file('deps/a') + file('deps/a/b') + end(3)],
    ['a second name of a file elsewhere', deps + said({ type: 'same', path: 'deps/a', as: '../evil' }) + end(2)],
    ['a second name of what is not in it', deps + said({ type: 'same', path: 'deps/a', as: 'deps/b' }) + end(2)],
    [
      'a second name of a link',
      deps + linkTo('/etc/passwd', 'deps/b') + said({ type: 'same', path: 'deps/a', as: 'deps/b' }) + end(3),
    ],
    ['a file with the rights of its owner', deps + file('deps/su', 'x', { mode: 0o4755 }) + end(2)],
    ['a mode that is none', deps + file('deps/a', 'x', { mode: -1 }) + end(2)],
    ['a device', deps + said({ type: 'device', path: 'deps/sda', mode: 0o666, major: 8, minor: 0 }) + end(2)],
    ['more keys than an entry has', deps + file('deps/a', 'x', { uid: 0 }) + end(2)],
    ['a negative size', deps + file('deps/a', '', { bytes: -1 }) + end(2)],
    ['more bytes than a layer may have', deps + file('deps/a', 'x', { bytes: limits.sharedLayers.unpackedBytes + 1 })],
    ['less content than it says', deps + file('deps/a', 'x', { bytes: 1_000 })],
    ['no end', deps + file('deps/a')],
    ['an end that counts more', deps + end(2)],
    ['something after its end', `${deps}${end(1)}x`],
    ['no output', end(0)],
    ['a line without an end', `${deps}${'x'.repeat(100_000)}`],
    ['a line that is not JSON', `${deps}no\n`],
    ['nothing', new Uint8Array()],
    ['what is not compressed', Buffer.from(`drydock layer 1\n${deps}${end(1)}`)],
    ['half of it', zstdCompressSync(Buffer.from(`drydock layer 1\n${deps}${end(1)}`)).subarray(0, -6)],
    ['another heading', zstdCompressSync(Buffer.from(`drydock layer 2\n${deps}${end(1)}`))],
  ])('is refused with %s, and nothing of it stays', async (_, text) => {
    await expect(unpack(text)).rejects.toThrow(LayerRefused)
    expect(await artifactsOf('two').layer('abc')).toBeNull()
    expect(readdirSync(join(top, 'two/cache/layers'))).toEqual([])
    expect(readdirSync(top)).toEqual(['two'])
  })

  test.each([
    ['entries', deps + file('deps/a') + file('deps/b') + end(3)],
    ['bytes', deps + file('deps/a', 'x'.repeat(2_000)) + end(2)],
  ])('is refused with more %s than a layer may have, however small it is packed', async (_, text) => {
    const tree = join(top, 'tree')
    await mkdir(tree)
    const packed = zstdCompressSync(Buffer.from(`drydock layer 1\n${text}`))
    const bounds = { entries: 2, unpackedBytes: 1_000 }
    const unpacked = unpackLayer(inPieces(packed), { tree, outputs: ['deps'] }, { signal, bounds })
    await expect(unpacked).rejects.toThrow(LayerRefused)
  })

  test('is not unpacked further once nobody wants it any more', async () => {
    const stop = new AbortController()
    const packed = zstdCompressSync(Buffer.from(`drydock layer 1\n${deps}${file('deps/a')}${end(2)}`))
    const stopping = async function* () {
      yield packed
      stop.abort(new Error('Drydock stops'))
    }
    const unpacked = artifactsOf('two').unpackLayer({ key: 'abc', outputs: ['deps'] }, stopping(), stop.signal)
    await expect(unpacked).rejects.toThrow('Drydock stops')
    expect(readdirSync(join(top, 'two/cache/layers'))).toEqual([])
  })

  test('leaves nothing half when its source breaks off, and what another has made stays', async () => {
    const whole = zstdCompressSync(Buffer.from(`drydock layer 1\n${deps}${file('deps/a')}${end(2)}`))
    const breaking = async function* () {
      yield whole.subarray(0, 20)
      throw new Error('the line is cut')
    }
    const broken = artifactsOf('two').unpackLayer({ key: 'abc', outputs: ['deps'] }, breaking(), signal)
    await expect(broken).rejects.toThrow('the line is cut')
    expect(readdirSync(join(top, 'two/cache/layers'))).toEqual([])
    const first = await unpack(deps + file('deps/a', 'first') + end(2))
    await unpack(deps + file('deps/a', 'second') + end(2))
    expect(readFileSync(join(first.folder, 'deps/a'), 'utf8')).toBe('first')
    expect(readdirSync(join(top, 'two/cache/layers'))).toEqual(['abc'])
  })
})
