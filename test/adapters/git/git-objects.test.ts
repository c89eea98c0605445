import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGit } from '../../../src/adapters/git/git.ts'
import { keptReader } from '../../../src/adapters/git/objects/kept-reader.ts'
import { oneByOne } from '../../../src/adapters/git/objects/one-by-one.ts'
import type { ReadObject } from '../../../src/adapters/git/objects/read-objects.ts'
import { writeObject } from '../../../src/adapters/git/objects/write-object.ts'
import { makeWorld, type World } from './git-world.ts'

let world: World
let gitDir: string
let sha: string
const large = 'x'.repeat(300_000)
beforeAll(() => {
  world = makeWorld({ 'a.txt': 'one\n', 'b/c d.txt': 'two\n', 'large.txt': large, 'empty.txt': '' })
  writeFileSync(join(world.repository, 'line\nend'), 'three\n')
  sha = world.commitAll()
  gitDir = join(world.repository, '.git')
})
afterAll(() => world.close())

const environment = () => world.environment as Record<string, string>
const readers = (): readonly (readonly [string, ReadObject])[] => [
  ['kept', keptReader({ environment: environment(), gitDir })],
  ['one by one', oneByOne(createGit(environment()), gitDir)],
]
const maxBytes = 1_000_000

test('objects are read by any name, and by both readers alike', async () => {
  const names = ['a.txt', 'b/c d.txt', 'line\nend', 'empty.txt', 'large.txt', 'b', 'no\nsuch', 'a.txt/b', 'missing']
  const [kept, single] = await Promise.all(
    readers().map(([, read]) => Promise.all(names.map((name) => read(`${sha}:${name}`, { maxBytes })))),
  )
  expect(kept).toEqual(single)
  expect(kept?.map((object) => object?.content?.length ?? null)).toEqual([
    4,
    4,
    6,
    0,
    large.length,
    expect.any(Number),
    null,
    null,
    null,
  ])
  expect(kept?.map((object) => object?.type)).toEqual([...Array(5).fill('blob'), 'tree', ...Array(3).fill(undefined)])
})

test('an object whose file cannot be touched is written again', async () => {
  const objects = join(gitDir, 'objects')
  const written = { type: 'blob', content: Buffer.from('touched\n'), format: 'sha1' } as const
  const id = await writeObject(objects, written)
  const file = join(objects, id.slice(0, 2), id.slice(2))
  rmSync(file)
  symlinkSync(basename(file), file)
  expect(await writeObject(objects, written)).toBe(id)
  expect(world.git('cat-file', 'blob', id)).toBe('touched')
})

test('only the size of an object that is too large is read', async () => {
  for (const [, read] of readers())
    expect(await read(`${sha}:large.txt`, { maxBytes: 10 })).toMatchObject({ size: large.length, content: null })
})

test('the kept one finds what was written after its first answer, loose or packed', async () => {
  const [[, read]] = readers() as [readonly [string, ReadObject]]
  await read(`${sha}:a.txt`, { maxBytes })
  const hash = (input: string) =>
    execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: world.repository, env: world.environment, input })
  const id = hash('later\n').toString().trim()
  expect((await read(id, { maxBytes }))?.content?.toString()).toBe('later\n')
  world.git('repack', '-a', '-d', '--quiet')
  expect((await read(`${sha}:a.txt`, { maxBytes }))?.content?.toString()).toBe('one\n')
})

test('an aborted read gets no answer, and the next one gets the right one', async () => {
  const [[, read]] = readers() as [readonly [string, ReadObject]]
  const giving = new AbortController()
  const given = read(`${sha}:large.txt`, { maxBytes, signal: giving.signal })
  const next = read(`${sha}:a.txt`, { maxBytes })
  giving.abort(new Error('enough'))
  await expect(given).rejects.toThrow('enough')
  expect((await next)?.content?.toString()).toBe('one\n')
  await expect(read(sha, { maxBytes, signal: giving.signal })).rejects.toThrow('enough')
})

test('a git that ends is told, and another one answers the next question', async () => {
  const [[, read]] = readers() as [readonly [string, ReadObject]]
  await read(sha, { maxBytes })
  const question = read(`${sha}:large.txt`, { maxBytes })
  for (const pid of gitsAt(gitDir)) process.kill(pid, 'SIGKILL')
  await expect(question).rejects.toMatchObject({ code: 'git_failed' })
  expect((await read(`${sha}:a.txt`, { maxBytes }))?.content?.toString()).toBe('one\n')
})

test('a folder without a repository is reported in git’s words', async () => {
  const read = keptReader({ environment: environment(), gitDir: join(world.repository, 'none') })
  await expect(read(sha, { maxBytes })).rejects.toThrow(/not a git repository/)
})

test('a kept git that nobody asks ends', async () => {
  // No other test uses this form of the folder's name.
  const place = `${gitDir}/.`
  const read = keptReader({ environment: environment(), gitDir: place, idleMs: 100 })
  await read(sha, { maxBytes })
  expect(gitsAt(place)).not.toEqual([])
  await expect.poll(() => gitsAt(place)).toEqual([])
})

/** Process ids of the kept git processes of a repository. */
function gitsAt(place: string): readonly number[] {
  const of = (pid: string, what: string) => {
    try {
      return readFileSync(`/proc/${pid}/${what}`, 'utf8').split('\0')
    } catch {
      // The process has ended in the meantime.
      return []
    }
  }
  const isKept = (pid: string) =>
    of(pid, 'cmdline').includes('--batch-command') && of(pid, 'environ').includes(`GIT_DIR=${place}`)
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) && isKept(name) ? [Number(name)] : []))
}
