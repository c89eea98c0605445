import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createArtifacts } from '../../../src/adapters/artifacts/artifacts.ts'

const mebibyte = 1_048_576
const later = new Date(Date.now() + 3_600_000)
let top: string
let folder: string
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'drydock-cache-'))
  folder = top
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

function fill(path: string, mebibytes: number, usedAt: number): void {
  const entry = join(folder, 'cache', path)
  mkdirSync(entry, { recursive: true })
  writeFileSync(join(entry, 'data'), Buffer.alloc(mebibytes * mebibyte, 1))
  utimesSync(entry, usedAt, usedAt)
}

test('a cache over its size loses the least recently used entries of any kind, but never one in use', async () => {
  fill('layers/oldest-in-use', 1, 100)
  fill('layers/old', 2, 200)
  fill('submodules/older', 2, 150)
  fill('tools/1', 2, 300)
  fill('layers/new', 1, 400)
  const artifacts = createArtifacts(folder, String)
  const freed = await artifacts.trimCache({
    maxBytes: 5 * mebibyte,
    keep: new Set(['oldest-in-use']),
    unusedSince: later,
  })
  expect(freed).toBeGreaterThanOrEqual(4 * mebibyte)
  expect(readdirSync(join(folder, 'cache/layers')).sort()).toEqual(['new', 'oldest-in-use'])
  expect(readdirSync(join(folder, 'cache/submodules'))).toEqual([])
  expect(readdirSync(join(folder, 'cache/tools'))).toEqual(['1'])
})

test('entries used since the work began stay, however large the caches are', async () => {
  fill('submodules/used', 2, 200)
  fill('tools/1', 2, 300)
  await createArtifacts(folder, String).trimCache({ maxBytes: 0, keep: new Set(), unusedSince: new Date(200_000) })
  expect([readdirSync(join(folder, 'cache/submodules')), readdirSync(join(folder, 'cache/tools'))]).toEqual([
    ['used'],
    ['1'],
  ])
})

test('half of a layer, which a killed process has left, is nothing, and makes place for a whole one', async () => {
  const artifacts = createArtifacts(folder, String)
  fill('layers/key/tree/deps', 1, 100)
  expect(await artifacts.layer('key')).toBe(null)
  const draft = await artifacts.draftLayer('key')
  mkdirSync(join(draft.upper, 'deps'))
  draft.log.close()
  expect(await draft.keep(['deps'], { isOfStart: false })).toMatchObject({ key: 'key' })
  expect(readdirSync(join(folder, 'cache/layers/key/tree/deps'))).toEqual([])
})

test('a folder that cannot be read, as one deeper than a path can be, keeps no layer from being made', async () => {
  const artifacts = createArtifacts(folder, String)
  const draft = await artifacts.draftLayer('key')
  draft.log.close()
  mkdirSync(join(draft.upper, 'web/node_modules/a'), { recursive: true })
  mkdirSync(join(draft.upper, 'node_modules'))
  const half = Array<string>(10).fill('x'.repeat(240)).join('/')
  mkdirSync(join(draft.upper, 'deep', half), { recursive: true })
  mkdirSync(join(draft.upper, 'more', half), { recursive: true })
  renameSync(join(draft.upper, 'more'), join(draft.upper, 'deep', half, 'more'))
  const kept = await draft.keep(['node_modules'], { isOfStart: false })
  expect(kept).toMatchObject({ outputs: ['node_modules', 'web/node_modules'] })
})

describe('a list of tests', () => {
  const place = () => join(folder, 'cache/tests')

  test('that cannot be written leaves the one before, and no half of it', async () => {
    const artifacts = createArtifacts(folder, String)
    await artifacts.keepTestList('a', 'first', { forGood: true })
    mkdirSync(join(place(), 'b.json/in the way'), { recursive: true })
    await expect(artifacts.keepTestList('b', 'x', { forGood: true })).rejects.toThrow()
    expect([await artifacts.testList('a'), readdirSync(place())]).toEqual(['first', ['a.json', 'b.json']])
  })

  test('is trimmed like all that is cached, what was asked for last, however many there are', async () => {
    // The paths are so long that a few hundred exceed the arguments of a program.
    for (let depth = 0; depth < 14; depth += 1) folder = join(folder, 'x'.repeat(240))
    const artifacts = createArtifacts(folder, String)
    mkdirSync(place(), { recursive: true })
    const names = Array.from({ length: 700 }, (_, i) => `${`${i}`.padStart(240, '0')}.json`)
    for (const name of names) {
      writeFileSync(join(place(), name), 'x')
      utimesSync(join(place(), name), 100, 100)
    }
    const [kept = ''] = names
    await artifacts.testList(kept.replace('.json', ''))
    await artifacts.trimCache({ maxBytes: 4_096, keep: new Set(), unusedSince: new Date(200_000) })
    expect(readdirSync(place())).toEqual([kept])
  })
})
