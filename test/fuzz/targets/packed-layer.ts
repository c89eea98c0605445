import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { expect } from 'vitest'
import { unpackLayer } from '../../../src/adapters/artifacts/packed/unpack-layer.ts'
import { LayerRefused } from '../../../src/ports/artifacts.ts'
import { nasty } from '../nasty.ts'
import type { FuzzTarget } from '../target.ts'

type LayerLine = Readonly<Record<string, unknown>>

const known = fc.constantFrom('deps', 'deps/a', 'deps/b', 'deps/a/b', 'deps/b/a', 'deps/a/b/c')
const path = fc.oneof(
  { weight: 8, arbitrary: known },
  { weight: 1, arbitrary: fc.constantFrom('OUTSIDE', 'OUTSIDE/x', 'deps/../../x', '../x', 'deps/', 'deps/a/..', 'x') },
  { weight: 1, arbitrary: fc.tuple(known, nasty).map((parts) => parts.join('/')) },
)
const target = fc.oneof(fc.constantFrom('OUTSIDE', '../..', '/', 'b', 'a', '.', 'OUTSIDE/x'), nasty)
const mode = fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0o700, max: 0o777 }) }, fc.integer())
const time = fc.oneof({ weight: 9, arbitrary: fc.nat() }, fc.double())
const content = fc.string({ maxLength: 20 })
const entry: fc.Arbitrary<LayerLine> = fc.oneof(
  fc.record({ type: fc.constant('folder'), path, mode, time }),
  fc.tuple(fc.record({ type: fc.constant('file'), path, mode, time, content }), fc.constantFrom(0, 0, 0, 1, -1)).map(
    // Sometimes the entry states a wrong size.
    ([file, wrong]) => ({ ...file, bytes: Buffer.byteLength(file.content) + wrong }),
  ),
  fc.record({ type: fc.constant('link'), path, target }),
  fc.record({ type: fc.constant('same'), path, as: path }),
  fc.record({ type: fc.constantFrom('device', 'end', ''), path, mode, time }),
)
const folderOfAll = { type: 'folder', path: 'deps', mode: 0o755, time: 0 }

/**
 * Entries of a packed layer: they create files in their place, or are refused; nothing outside
 * changes.
 */
export const packedLayer: FuzzTarget<readonly LayerLine[]> = {
  name: 'packed-layer',
  async open() {
    const top = mkdtempSync(join(tmpdir(), 'drydock-fuzz-layer-'))
    const outside = join(top, 'outside')
    const tree = join(top, 'within/tree')
    const lineOf = ({ content: own, ...said }: LayerLine) => `${JSON.stringify(said)}\n${own ?? ''}`
    return {
      inputs: fc
        .array(entry, { maxLength: 12 })
        .map((entries) => [folderOfAll, ...entries, { type: 'end', entries: entries.length + 1 }]),
      async check(entries) {
        rmSync(top, { recursive: true, force: true })
        for (const folder of [outside, tree]) mkdirSync(folder, { recursive: true })
        const text = `drydock layer 1\n${entries.map(lineOf).join('')}`.replaceAll('OUTSIDE', outside)
        const packed = zstdCompressSync(Buffer.from(text))
        const isTaken = await unpackLayer(
          (async function* () {
            yield packed
          })(),
          { tree, outputs: ['deps'] },
          { signal: new AbortController().signal },
        ).then(
          () => true,
          (error) => {
            if (!(error instanceof LayerRefused || error.code === 'ENAMETOOLONG')) throw error
            return false
          },
        )
        expect(readdirSync(outside)).toEqual([])
        expect(readdirSync(top).sort()).toEqual(['outside', 'within'])
        expect(readdirSync(join(top, 'within'))).toEqual(['tree'])
        const made = namesIn(tree)
        for (const name of made) {
          expect(name === 'deps' || name.startsWith('deps/')).toBe(true)
          const stats = lstatSync(join(tree, name))
          expect(stats.isFile() || stats.isDirectory() || stats.isSymbolicLink()).toBe(true)
          expect(stats.mode & 0o7000).toBe(0)
        }
        if (isTaken) expect(made).toHaveLength(entries.length - 1)
      },
      close: async () => rmSync(top, { recursive: true, force: true }),
    }
  },
}

/** Everything below a folder; links are not followed. */
function namesIn(folder: string, below = ''): readonly string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((found) => {
    const name = join(below, found.name)
    return found.isDirectory() ? [name, ...namesIn(folder, name)] : [name]
  })
}
