import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { makeWhole, writeChanged, writeWhole } from '../../src/files/write-whole.ts'

let folder = ''
let file = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-write-'))
  file = join(folder, 'facts.json')
})

test('twenty writers at once leave one of their texts, whole, and nothing beside it', async () => {
  const texts = Array.from({ length: 20 }, (_, i) => `${i}`.repeat(100_000))
  await Promise.all(texts.map((text) => writeWhole(file, text)))
  expect(texts).toContain(await readFile(file, 'utf8'))
  expect(await readdir(folder)).toEqual(['facts.json'])
})

test('a reader never finds a part of a text', async () => {
  const texts = ['a', 'b'].map((letter) => letter.repeat(1_000_000))
  await writeWhole(file, texts[0] ?? '')
  const writing = (async () => {
    for (const text of [...texts, ...texts, ...texts]) await writeWhole(file, text)
  })()
  const found = new Set<string>()
  for (let i = 0; i < 20; i += 1) found.add(await readFile(file, 'utf8'))
  await writing
  expect([...found].filter((text) => !texts.includes(text))).toEqual([])
})

test('permissions are exactly the ones that were asked for, whatever the file had before', async () => {
  await writeFile(file, 'old', { mode: 0o644 })
  await writeWhole(file, 'new', { mode: 0o600, onDisk: true })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('a write that fails leaves the old content and no draft', async () => {
  await expect(writeWhole(join(folder, 'missing', 'a'), 'text')).rejects.toThrow('ENOENT')
  // A folder is at the path of the file.
  await expect(writeWhole(folder, 'text')).rejects.toThrow()
  expect(await readdir(folder)).toEqual([])
})

test('if several processes create a file, one does, and the others leave it unchanged', async () => {
  const made = await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (text) => ((await makeWhole(file, text)) ? text : null)),
  )
  const makers = made.filter((text) => text !== null)
  expect(makers).toHaveLength(1)
  expect(await readFile(file, 'utf8')).toBe(makers[0])
  expect(await readdir(folder)).toEqual(['facts.json'])
})

test('a file that holds the content already is not written again', async () => {
  await writeChanged(file, 'same')
  const { ino } = await stat(file)
  await writeChanged(file, 'same')
  expect((await stat(file)).ino).toBe(ino)
  await writeChanged(file, 'other')
  expect(await readFile(file, 'utf8')).toBe('other')
})
