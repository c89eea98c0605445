import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeSocketFolder } from '../../src/processes/socket-folder.ts'

let shared: string

beforeEach(async () => {
  shared = await mkdtemp(join(tmpdir(), 'drydock-test-'))
  await chmod(shared, 0o1777)
})

afterEach(() => rm(shared, { recursive: true }))

test('a folder for sockets among those of others is private only when nobody else can write to it', async () => {
  const own = join(shared, 'own')
  expect([await makeSocketFolder(own), await makeSocketFolder(own)]).toEqual([true, true])
  const open = join(shared, 'open')
  await mkdir(open)
  await chmod(open, 0o777)
  expect(await makeSocketFolder(open)).toBe(false)
})
