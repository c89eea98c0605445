import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createChunks } from '../../src/boot/chunks.ts'
import { openKeptCode } from '../../src/boot/kept-code.ts'

const run = promisify(execFile)

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-test-'))
  file = join(folder, 'kept')
  await write('main.cjs', main)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A chunk as the bundle has it. */
const write = (name: string, text: string) =>
  writeFile(join(folder, name), `(function (exports, require) { 'use strict'; ${text}\n})`)
const open = () => createChunks(folder, openKeptCode(file))
async function stateOf(name: string) {
  const { size, mtimeMs } = await stat(join(folder, name))
  return `${size} ${mtimeMs}`
}
const codeOf = async (name: string) => openKeptCode(file).read(name, await stateOf(name))

/** Long enough that its compiled code is seen in a size. */
const late = `exports.late = () => [${Array.from({ length: 200 }, (_, i) => `"word ${i}".length`).join(', ')}].length`
const main = `const other = require('./other.cjs')
exports.answer = () => other.late() + require('node:path').sep`

interface Main {
  answer(): string
}

test('chunks load each other, modules of Node and packages, each once, in strict mode', async () => {
  await write(
    'main.cjs',
    "exports.all = [require('./other.cjs'), require('./other.cjs'), require('node:path'), require('pack')]",
  )
  await write('other.cjs', 'exports.strict = (function () { return this === undefined })()')
  await mkdir(join(folder, 'node_modules', 'pack'), { recursive: true })
  await writeFile(join(folder, 'node_modules/pack/index.mjs'), 'export const packed = true')
  await writeFile(join(folder, 'node_modules/pack/package.json'), '{ "exports": "./index.mjs" }')
  const { all } = createChunks(folder, null).load('./main.cjs') as { all: unknown[] }
  expect(all[0]).toBe(all[1])
  expect(all).toMatchObject([{ strict: true }, {}, { sep: '/' }, { packed: true }])
})

test('code is kept with the functions that were called, and taken by the next process', async () => {
  await write('other.cjs', late)
  const first = open()
  first.load('./main.cjs')
  first.keep()
  const untouched = (await codeOf('other.cjs'))?.code.length ?? 0
  await rm(file)
  const second = open()
  expect((second.load('./main.cjs') as Main).answer()).toBe('200/')
  second.keep()
  expect((await codeOf('other.cjs'))?.code.length).toBeGreaterThan(untouched + 200)
  const { mtimeMs } = await stat(file)
  const third = open()
  expect((third.load('./main.cjs') as Main).answer()).toBe('200/')
  // It would be kept anew by a process that had run for twice as long; this is the same one.
  third.keep()
  expect((await stat(file)).mtimeMs).toBe(mtimeMs)
})

test('a source of the same length as before is not run by the old code', async () => {
  await write('other.cjs', 'exports.late = () => 1')
  const before = open()
  expect((before.load('./main.cjs') as Main).answer()).toBe('1/')
  before.keep()
  await write('other.cjs', 'exports.late = () => 2')
  expect((open().load('./main.cjs') as Main).answer()).toBe('2/')
})

test.each([
  ['cut', (kept: Buffer) => kept.subarray(0, kept.length - 64)],
  ['empty', () => Buffer.alloc(0)],
  ['zeros', (kept: Buffer) => Buffer.alloc(kept.length)],
  ['garbage', (kept: Buffer) => Buffer.alloc(kept.length, 'no code ')],
  ['longer', (kept: Buffer) => Buffer.concat([kept, kept])],
])('a file that is %s is made anew, and nothing of it is run', async (_how, spoil) => {
  await write('other.cjs', late)
  const before = open()
  expect((before.load('./main.cjs') as Main).answer()).toBe('200/')
  before.keep()
  await writeFile(file, spoil(await readFile(file)))
  // Of the two this is the last in the file.
  expect(await codeOf('other.cjs')).toBeNull()
  const after = open()
  expect((after.load('./main.cjs') as Main).answer()).toBe('200/')
  after.keep()
  expect(await codeOf('main.cjs')).not.toBeNull()
  expect(await codeOf('other.cjs')).not.toBeNull()
})

test('a process goes on with the file that it has opened when another one puts a new one in its place', async () => {
  await write('other.cjs', late)
  const before = open()
  before.load('./main.cjs')
  before.keep()
  const kept = openKeptCode(file)
  const state = await stateOf('other.cjs')
  const code = kept.read('other.cjs', state)
  await writeFile(`${file}.new`, Buffer.alloc((await stat(file)).size, 7))
  await rename(`${file}.new`, file)
  expect(kept.read('other.cjs', state)).toEqual(code)
})

test('chunks of other commands stay, those that the bundle no longer has go', async () => {
  await write('other.cjs', late)
  await write('mine.cjs', 'exports.a = 1')
  for (const name of ['./main.cjs', './mine.cjs']) {
    const chunks = open()
    chunks.load(name)
    chunks.keep()
  }
  expect(await codeOf('mine.cjs')).not.toBeNull()
  expect(await codeOf('other.cjs')).not.toBeNull()
  const gone = await stateOf('other.cjs')
  await rm(join(folder, 'other.cjs'))
  await write('new.cjs', 'exports.b = 1')
  const chunks = open()
  chunks.load('./new.cjs')
  chunks.keep()
  expect(await codeOf('mine.cjs')).not.toBeNull()
  expect(openKeptCode(file).read('other.cjs', gone)).toBeNull()
})

const sources = (name: string) => JSON.stringify(join(import.meta.dirname, '../../src/boot', name))
/** Loads the chunks and keeps them, in a process of its own. */
const program = (calls: string) => `
  import { createChunks } from ${sources('chunks.ts')}
  import { openKeptCode } from ${sources('kept-code.ts')}
  const chunks = createChunks(${JSON.stringify(folder)}, openKeptCode(${JSON.stringify(file)}))
  const { answer } = chunks.load('./main.cjs')
  ${calls}
  chunks.keep()`

test('a process that runs for longer keeps more', async () => {
  await write('other.cjs', late)
  const start = (calls: string) => run(process.execPath, ['--input-type=module', '--eval', program(calls)])
  await start('')
  const short = await codeOf('other.cjs')
  await start(`answer(); const { promise, resolve } = Promise.withResolvers()
    const again = () => (process.uptime() > ${((short?.age ?? 0) / 1_000) * 2.2} ? resolve() : setTimeout(again, 10))
    again(); await promise`)
  const long = await codeOf('other.cjs')
  expect(long?.age).toBeGreaterThan((short?.age ?? 0) * 2)
  expect(long?.code.length).toBeGreaterThan((short?.code.length ?? 0) + 200)
})

test('nothing is left of a file that cannot be written whole, and what was there before stays', async () => {
  await write('other.cjs', late)
  const before = open()
  before.load('./main.cjs')
  before.keep()
  const { mtimeMs } = await stat(file)
  await write('other.cjs', `${late} // is longer`)
  const limited = ['-c', 'ulimit -f 1; exec "$@"', 'sh', process.execPath, '--input-type=module', '--eval', program('')]
  await expect(run('sh', limited)).rejects.toThrow(/EFBIG|the disk is full/)
  expect((await readdir(folder)).sort()).toEqual(['kept', 'main.cjs', 'other.cjs'])
  expect((await stat(file)).mtimeMs).toBe(mtimeMs)
})
