import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBubblewrap } from '../../../src/adapters/sandbox/bubblewrap.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-programs-'))
  await writeFile(join(folder, 'tool'), 'release 1')
  await symlink('tool', join(folder, 'link'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const programs = () => createBubblewrap({ hostPath: `${folder}:${process.env.PATH}` }).programs([folder])

test('machines have the same programs as long as nothing that commands find is another', async () => {
  const before = await programs()
  expect(before).toMatch(/^[0-9a-f]{64}$/)
  expect(await programs()).toBe(before)

  await writeFile(join(folder, 'tool'), 'release 10')
  const updated = await programs()
  expect(updated).not.toBe(before)
  await writeFile(join(folder, 'tool'), 'release 1')
  expect(await programs()).toBe(before)

  await writeFile(join(folder, 'another'), '')
  expect(await programs()).not.toBe(before)
  await rm(join(folder, 'another'))
  await rename(join(folder, 'tool'), join(folder, 'renamed'))
  expect(await programs()).not.toBe(before)
})

test('a folder of PATH that commands do not see does not count', async () => {
  const hidden = (path: string) => createBubblewrap({ hostPath: `${path}:${process.env.PATH}` }).programs([])
  expect(await hidden(folder)).toBe(await hidden('/nowhere'))
})
