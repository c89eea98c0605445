import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { at, makeReadyWorld, writeFiles } from './git-world.ts'

// Each test writes hundreds of megabytes or tens of thousands of files.

async function ready() {
  const world = await makeReadyWorld()
  onTestFinished(() => world.close())
  return world
}

const mebibyte = 1_048_576

function sparse(path: string, size: number): void {
  writeFileSync(path, '')
  truncateSync(path, size)
}

test.each<[string, (workspace: string) => void, RegExp]>([
  [
    'files that are too large together',
    (w) => {
      for (let n = 0; n < 6; n += 1) sparse(join(w, `part-${n}.bin`), 60 * mebibyte)
    },
    /too large to keep: 361 MiB in 7 files/,
  ],
  [
    'one that is too large, which is told first, and more that are together',
    (w) => {
      sparse(join(w, 'huge.bin'), 4_096 * mebibyte)
      for (let n = 0; n < 6; n += 1) sparse(join(w, `part-${n}.bin`), 60 * mebibyte)
    },
    /too large to keep: 4096 MiB in 1 file \("huge.bin"/,
  ],
  [
    'links without end',
    (w) => {
      mkdirSync(join(w, 'links'))
      for (let n = 0; n < 51_000; n += 1) symlinkSync('x'.repeat(40), join(w, `links/${n}`))
    },
    /too large to keep: 2 MiB in 51001 files/,
  ],
])('a change that costs the agent nothing and the host much is refused: %s', async (_, make, reason) => {
  const { workspace, history, workTrees, snapshot, state, tip, signal } = await ready()
  writeFiles(workspace, { 'work.txt': 'work' })
  make(workspace)
  const before = bytesOf(state)
  expect(await snapshot()).toEqual({ ok: false, reason: expect.stringMatching(reason) })
  expect(bytesOf(state) - before).toBeLessThan(mebibyte)
  const input = { slot: 'coder-001', parents: [tip], ref: 'refs/drydock/kept/1', last: null, message: 'kept', at }
  const kept = await workTrees.snapshot({ ...input, setAside: true }, signal)
  if (!kept.ok) throw new Error(kept.reason)
  expect(await history.changedFiles(tip, kept.snapshot.sha)).toContainEqual({ path: 'work.txt', status: 'added' })
  expect(bytesOf(state) - before).toBeLessThan(260 * mebibyte)
})

test('repositories without end are refused before git looks for what it ignores', async () => {
  const { workspace, snapshot } = await ready()
  const names = ['git', 'Git', 'gIt', 'giT', 'GIt', 'GiT', 'gIT', 'GIT'].map((name) => `.${name}`)
  for (let n = 0; n * names.length <= 50_000; n += 1)
    writeFiles(workspace, Object.fromEntries(names.map((name) => [`nested/${n}/${name}`, ''])))
  expect(await snapshot()).toEqual({ ok: false, reason: expect.stringContaining('too many files to look at') })
})

/**
 * Size on disk in bytes, without the workspaces: in a memory file system, reading fills the holes
 * of a file.
 */
function bytesOf(folder: string): number {
  const du = ['-s', '--block-size=1', '--exclude=workspaces', folder]
  return Number(execFileSync('du', du, { encoding: 'utf8' }).split('\t')[0])
}
