import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limits } from '../../src/domain/limits.ts'
import { blobPlaces, type StartedPlace } from './blob-places.ts'

const { signal } = new AbortController()
const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')
const words = Buffer.from('one\ntwo\nthree\n')

describe.each(blobPlaces)('blobs in $name', ({ start }) => {
  let place: StartedPlace
  beforeAll(async () => {
    place = await start()
  })
  afterAll(() => place.close())

  const at = (space: string, name = 'one') => place.open().at({ space, name })

  test('are read whole or in part, by the digest under which they were put', async () => {
    async function* stream() {
      yield words.subarray(0, 5)
      yield words.subarray(5)
    }
    const digest = sha256(words)
    expect(await at('read').put(stream(), signal)).toEqual({ digest, bytes: words.byteLength })
    const read = async (range: { start: number; end: number } | null) =>
      Buffer.from((await at('read').get(digest, range, signal)) ?? []).toString()
    expect(await read(null)).toBe(words.toString())
    expect(await read({ start: 4, end: 7 })).toBe('two')
    expect(await read({ start: 8, end: 1_000 })).toBe('three\n')
    expect(await read({ start: 1_000, end: 2_000 })).toBe('')
  })

  test('are as small as a byte, as large as a blob may be, and nothing else', async () => {
    for (const content of [randomBytes(1), randomBytes(limits.blobs.bytes)]) {
      const { digest } = await at('sizes').put(content, signal)
      const found = await at('sizes').get(digest, null, signal)
      expect(found === null ? null : Buffer.from(found).equals(content)).toBe(true)
    }
    await expect(at('sizes').put(new Uint8Array(limits.blobs.bytes + 1), signal)).rejects.toThrow('a blob has at most')
    await expect(at('sizes').put(new Uint8Array(), signal)).rejects.toThrow('at least one byte')
  })

  test('are not there before they are put and after they are deleted, which may be said twice', async () => {
    const digest = sha256(words)
    expect(await at('gone').get(digest, null, signal)).toBeNull()
    await at('gone').put(words, signal)
    await at('gone', 'other').put(words, signal)
    await at('gone').delete(digest, signal)
    await at('gone').delete(digest, signal)
    expect(await at('gone').get(digest, null, signal)).toBeNull()
    expect(await at('gone', 'other').get(digest, null, signal)).not.toBeNull()
  })

  test('are never shown with other content than was put, be it changed, cut or far too long', async () => {
    const { digest } = await at('harm').put(words, signal)
    for (const other of [
      Buffer.from('one\ntwo\nThree\n'),
      words.subarray(0, 5),
      Buffer.alloc(limits.blobs.bytes + 9),
    ]) {
      await place.write(`harm/one/${digest}`, other)
      const range = { start: 0, end: 3 }
      await expect(at('harm').get(digest, range, signal)).rejects.toMatchObject({ code: 'blob_damaged' })
    }
    await at('harm').put(words, signal)
    expect(await at('harm').get(digest, null, signal)).not.toBeNull()
  })

  test('are whole when many put the same one at once', async () => {
    const content = randomBytes(500_000)
    const all = await Promise.all(Array.from({ length: 8 }, () => at('same').put(content, signal)))
    expect(new Set(all.map(({ digest }) => digest))).toEqual(new Set([sha256(content)]))
    expect(await at('same').get(sha256(content), null, signal)).toHaveLength(500_000)
  })

  test('are listed by their folders, and a folder goes as a whole while the others stay', async () => {
    const store = place.open()
    expect(await store.folders('lists', signal)).toEqual([])
    for (const name of ['run_a', 'run_ab', 'run_b']) {
      for (let i = 0; i < 10; i += 1) await at('lists', name).put(Buffer.from(`${i}`), signal)
    }
    await at('lists2', 'run_c').put(words, signal)
    expect([...(await store.folders('lists', signal))].sort()).toEqual(['run_a', 'run_ab', 'run_b'])
    await store.remove({ space: 'lists', name: 'run_a' }, signal)
    await store.remove({ space: 'lists', name: 'never' }, signal)
    expect([...(await store.folders('lists', signal))].sort()).toEqual(['run_ab', 'run_b'])
    expect(await at('lists', 'run_ab').get(sha256(Buffer.from('9')), null, signal)).not.toBeNull()
    expect(await at('lists', 'run_a').get(sha256(Buffer.from('9')), null, signal)).toBeNull()
  })

  test('have names that lead nowhere else', async () => {
    for (const name of ['..', 'a/b', '', '.x', 'a\0'])
      expect(() => at(name), JSON.stringify(name)).toThrow('not a name')
    await expect(at('names').get('../../secret', null, signal)).rejects.toThrow('not a digest')
  })

  test('are left alone once the signal is aborted', async () => {
    const aborted = AbortSignal.abort(new Error('no more'))
    await expect(at('aborted').put(words, aborted)).rejects.toThrow('no more')
    await expect(at('aborted').get(sha256(words), null, aborted)).rejects.toThrow('no more')
    expect(await at('aborted').get(sha256(words), null, signal)).toBeNull()
  })
})
