import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createChunks } from '../../src/boot/chunks.ts'
import { openCodeCache } from '../../src/boot/code-cache.ts'

const run = promisify(execFile)

let folder: string
let cache: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-test-'))
  cache = join(folder, 'cache')
  await mkdir(cache)
  await write(
    'main.cjs',
    "const other = require('./other.cjs'); exports.answer = () => other.late() + require('node:path').sep",
  )
  await write('other.cjs', late)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A chunk in the bundle's format. */
const write = (name: string, text: string) =>
  writeFile(join(folder, name), `(function (exports, require) { 'use strict'; ${text}\n})`)
/** Long enough that the size shows whether its code was compiled. */
const late = `exports.late = () => [${Array.from({ length: 200 }, (_, i) => `"word ${i}".length`).join(', ')}].length`
const open = (build = 'a') => createChunks(folder, openCodeCache(cache, build))
const answerOf = (chunks: ReturnType<typeof open>) => (chunks.load('./main.cjs') as { answer(): string }).answer()
const lengthOf = (chunk: string, build = 'a') => openCodeCache(cache, build).read(chunk)?.code.length ?? 0
const fileOf = (chunk: string) => join(cache, `drydock-a-${chunk}`)

/** Loads the chunks and stores their code in a separate process, with other code in between. */
const elsewhere = (between: string, ...under: string[]) => {
  const sources = (name: string) => JSON.stringify(join(import.meta.dirname, '../../src/boot', name))
  const program = `
    import { createChunks } from ${sources('chunks.ts')}
    import { openCodeCache } from ${sources('code-cache.ts')}
    const chunks = createChunks(${JSON.stringify(folder)}, openCodeCache(${JSON.stringify(cache)}, 'a'))
    const { answer } = chunks.load('./main.cjs')
    ${between}
    chunks.keep()`
  const [file = '', ...args] = [...under, process.execPath, '--input-type=module', '--eval', program]
  return run(file, args)
}

test('chunks load each other, modules of Node and packages, each once, in strict mode', async () => {
  await mkdir(join(folder, 'node_modules/pack'), { recursive: true })
  await writeFile(join(folder, 'node_modules/pack/index.mjs'), 'export const packed = true')
  await writeFile(join(folder, 'node_modules/pack/package.json'), '{ "exports": "./index.mjs" }')
  const all = "[require('./other.cjs'), require('./other.cjs'), require('node:path'), require('pack')]"
  await write('main.cjs', `exports.all = ${all}`)
  await write('other.cjs', 'exports.strict = (function () { return this === undefined })()')
  const loaded = (createChunks(folder, null).load('./main.cjs') as { all: unknown[] }).all
  expect(loaded[0]).toBe(loaded[1])
  expect(loaded).toMatchObject([{ strict: true }, {}, { sep: '/' }, { packed: true }])
})

test('a chunk that could not be loaded is loaded again', async () => {
  await rm(join(folder, 'other.cjs'))
  const chunks = open()
  expect(() => chunks.load('./main.cjs')).toThrow('ENOENT')
  await write('other.cjs', late)
  expect(answerOf(chunks)).toBe('200/')
})

test('code is kept with the functions that were called, and taken by the next process', async () => {
  const first = open('untouched')
  first.load('./main.cjs')
  first.keep()
  const second = open()
  expect(answerOf(second)).toBe('200/')
  second.keep()
  expect(lengthOf('other.cjs')).toBeGreaterThan(lengthOf('other.cjs', 'untouched') + 200)
  const { mtimeMs } = await stat(fileOf('other.cjs'))
  const third = open()
  expect(answerOf(third)).toBe('200/')
  // Code is compared once a process has used twice the time; this process has used the same.
  third.keep()
  expect((await stat(fileOf('other.cjs'))).mtimeMs).toBe(mtimeMs)
})

test('a process that has done twice as much keeps what it has more, and never less', async () => {
  await elsewhere('')
  const short = openCodeCache(cache, 'a').read('other.cjs')
  const work = (ms: number) => `while (process.cpuUsage().user / 1_000 < ${ms}) answer()`
  await elsewhere(work((short?.age ?? 0) * 2.2))
  const long = openCodeCache(cache, 'a').read('other.cjs')
  expect(long?.age).toBeGreaterThan((short?.age ?? 0) * 2)
  expect(long?.code.length).toBeGreaterThan((short?.code.length ?? 0) + 200)
  // Larger than any real entry.
  const more = { code: Buffer.concat([long?.code ?? Buffer.alloc(0), Buffer.alloc(4_096)]), age: 1 }
  openCodeCache(cache, 'a').write('other.cjs', more)
  await elsewhere('')
  expect(lengthOf('other.cjs')).toBe(more.code.length)
})

test('later code of one process removes nothing that another has stored', async () => {
  await write('late.cjs', 'exports.b = 1')
  const [server, other] = [open(), open()]
  server.load('./late.cjs')
  other.load('./main.cjs')
  other.keep()
  server.keep()
  expect([lengthOf('main.cjs'), lengthOf('late.cjs')].every((length) => length > 0)).toBe(true)
})

test('another build runs its own sources, though they are as long as those of before', async () => {
  await write('other.cjs', 'exports.late = () => 1')
  const before = open()
  expect(answerOf(before)).toBe('1/')
  before.keep()
  await write('other.cjs', 'exports.late = () => 2')
  expect(answerOf(open('b'))).toBe('2/')
})

const spoilt: readonly (readonly [string, (kept: Buffer) => Buffer])[] = [
  ['cut', (kept) => kept.subarray(0, kept.length - 64)],
  ['empty', () => Buffer.alloc(0)],
  ['zeros', (kept) => Buffer.alloc(kept.length)],
  ['longer', (kept) => Buffer.concat([kept, kept])],
  ['wrong in one bit', (kept) => kept.fill((kept.at(-1_000) ?? 0) ^ 1, kept.length - 1_000, kept.length - 999)],
  ['wrong in its last byte', (kept) => kept.fill((kept.at(-1) ?? 0) ^ 1, kept.length - 1)],
]

test.each(spoilt)('a file that is %s is ignored, and replaced', async (_how, spoil) => {
  const before = open()
  expect(answerOf(before)).toBe('200/')
  before.keep()
  await writeFile(fileOf('other.cjs'), spoil(await readFile(fileOf('other.cjs'))))
  expect(openCodeCache(cache, 'a').read('other.cjs')).toBeNull()
  const after = open()
  expect(answerOf(after)).toBe('200/')
  after.keep()
  expect(lengthOf('other.cjs')).toBeGreaterThan(0)
})

test('a file that others may write, or a folder in its place, is not taken', async () => {
  const before = open()
  before.load('./main.cjs')
  before.keep()
  await chmod(fileOf('other.cjs'), 0o622)
  await rm(fileOf('main.cjs'))
  await mkdir(fileOf('main.cjs'))
  expect([lengthOf('other.cjs'), lengthOf('main.cjs')]).toEqual([0, 0])
  expect(answerOf(open())).toBe('200/')
})

test('nothing is left of a file that cannot be written whole, and what was there before stays', async () => {
  await elsewhere('')
  const before = await readdir(cache)
  const { mtimeMs } = await stat(fileOf('other.cjs'))
  const work = 'while (process.cpuUsage().user < 1_000_000) answer()'
  await expect(elsewhere(work, 'sh', '-c', 'ulimit -f 1; exec "$@"', 'sh')).rejects.toThrow('EFBIG')
  expect(await readdir(cache)).toEqual(before)
  expect((await stat(fileOf('other.cjs'))).mtimeMs).toBe(mtimeMs)
})

test('if nothing can be stored, chunks are still loaded', () => {
  const chunks = createChunks(folder, openCodeCache(join(folder, 'missing'), 'a'))
  expect(answerOf(chunks)).toBe('200/')
  expect(() => chunks.keep()).toThrow('ENOENT')
})

test('files of other builds, and halves of files, go after a week', async () => {
  const old = open('old')
  old.load('./main.cjs')
  old.keep()
  await writeFile(`${fileOf('main.cjs')}.1-2`, 'half')
  await writeFile(join(cache, 'of-node'), '')
  const names = (await readdir(cache)).filter((name) => name !== 'drydock-old-main.cjs')
  const longAgo = new Date(Date.now() - 8 * 86_400_000)
  for (const name of names) await utimes(join(cache, name), longAgo, longAgo)
  const chunks = open()
  chunks.load('./other.cjs')
  chunks.keep()
  expect((await readdir(cache)).sort()).toEqual(['drydock-a-other.cjs', 'drydock-old-main.cjs', 'of-node'])
})
