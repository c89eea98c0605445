import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createFolderBlobs } from '../../../src/adapters/blobs/folder-blobs.ts'

const { signal } = new AbortController()
const words = Buffer.from('one')
const digest = createHash('sha256').update(words).digest('hex')

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'drydock-blobs-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const own = join(folder, 'space', 'run')
  mkdirSync(own, { recursive: true })
  return { folder, own, blobs: createFolderBlobs(folder) }
}

test.each([
  ['a pipe, which nobody writes to', (path: string) => void execFileSync('mkfifo', [path])],
  ['a folder', (path: string) => mkdirSync(path)],
  ['a link to the very content', (path: string) => symlinkSync(join(path, '..', 'other'), path)],
  ['a link to itself', (path: string) => symlinkSync(path, path)],
])('in the place of a blob, %s is told as damage, and nobody waits for it', async (_, make) => {
  const { own, blobs } = place()
  writeFileSync(join(own, 'other'), words)
  make(join(own, digest))
  await expect(blobs.at({ space: 'space', name: 'run' }).get(digest, null, signal)).rejects.toMatchObject({
    code: 'blob_damaged',
  })
})

test('foreign files beside the folders of blobs are ignored and block nothing', async () => {
  const { folder, own, blobs } = place()
  writeFileSync(join(own, digest), words)
  mkdirSync(join(folder, 'space', 'lost+found'))
  mkdirSync(join(folder, 'space', 'a name'))
  writeFileSync(join(folder, 'space', 'notes'), '')
  symlinkSync(own, join(folder, 'space', 'link'))
  expect(await blobs.folders('space', signal)).toEqual(['run'])
})
