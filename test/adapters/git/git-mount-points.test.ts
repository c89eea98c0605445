import { chmodSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { listing, makeWorld, type World, writeFiles } from './git-world.ts'

const worlds: World[] = []
afterEach(() => {
  for (const world of worlds.splice(0)) world.close()
})

/** A folder in which mount points are created, next to one that must stay untouched. */
function given(files: Readonly<Record<string, string>> = {}) {
  const world = makeWorld()
  worlds.push(world)
  const folder = join(world.top, 'tree of an agent')
  const outside = join(world.top, 'outside')
  for (const made of [folder, outside]) mkdirSync(made)
  writeFiles(folder, files)
  const make = (...paths: string[]) => world.workTrees.makeMountPoints(folder, paths)
  return { folder, outside, make }
}

test('directories are made, parents and all, and those that are there stay as they are', async () => {
  const { folder, make } = given({ 'there/file': 'x' })
  const wanted = ['there', 'node_modules', 'packages/ü b/node_modules']
  expect(await make(...wanted)).toEqual(wanted)
  expect(Object.keys(listing(folder)).sort()).toEqual(
    ['node_modules/', 'packages/', 'packages/ü b/', 'packages/ü b/node_modules/', 'there/', 'there/file']
      .map((path) => Buffer.from(path).toString('latin1'))
      .sort(),
  )
  expect(await make(...wanted)).toEqual(wanted)
})

test('two sandboxes that open in one folder at the same time both get theirs', async () => {
  const { make } = given()
  const wanted = ['node_modules', 'packages/a/node_modules']
  const all = await Promise.all(Array.from({ length: 8 }, () => make(...wanted)))
  expect(all).toEqual(all.map(() => wanted))
})

test('a file is never replaced and a link never followed, at the place itself or on the way', async () => {
  const { folder, outside, make } = given({ file: 'kept' })
  symlinkSync(outside, join(folder, 'link'))
  symlinkSync('missing', join(folder, 'dangling'))
  const before = listing(folder)
  expect(await make('file', 'file/below', 'link', 'link/below', 'link/a/b', 'dangling', 'dangling/below')).toEqual([])
  expect(listing(folder)).toEqual(before)
  expect(readdirSync(outside)).toEqual([])
})

test.skipIf(process.getuid?.() === 0)('below a folder that may not be written to nothing is made', async () => {
  const { folder, make } = given({ 'closed/file': 'x' })
  chmodSync(join(folder, 'closed'), 0o500)
  expect(await make('closed/below', 'open')).toEqual(['open'])
})
