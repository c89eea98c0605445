import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createGitPorts } from '../../../src/adapters/git/git-ports.ts'
import { at, listing, makeReadyWorld, worldOfTest, writeFiles } from './git-world.ts'

const many = Object.fromEntries(
  Array.from({ length: 200 }, (_, i) => [`src/${i % 10}/f${i}.ts`, `export const x = ${i}\n`]),
)

test('six slots snapshot at once', async () => {
  const slots = Array.from({ length: 6 }, (_, i) => `coder-${String(i + 1).padStart(3, '0')}`)
  const world = await makeReadyWorld(many, slots)
  onTestFinished(() => world.close())
  const { history, workTrees, tip, signal } = world
  const results = await Promise.all(
    slots.map((slot) => {
      writeFiles(workTrees.path(slot), { 'mine.txt': slot })
      return workTrees.snapshot(
        { slot, parents: [tip], ref: `refs/drydock/${slot}`, last: null, message: 'm', at },
        signal,
      )
    }),
  )
  const shas = results.map((result) => (result.ok ? result.snapshot.sha : result.reason))
  expect(new Set(shas).size).toBe(6)
  for (const sha of shas) expect(await history.changedFiles(tip, sha)).toEqual([{ path: 'mine.txt', status: 'added' }])
})

test('a preparation that was aborted is made good by the next', async () => {
  const world = await makeReadyWorld(many)
  onTestFinished(() => world.close())
  const { workTrees, userRepository, tip, repository, signal, gitIn } = world
  writeFiles(repository, Object.fromEntries(Object.keys(many).map((path) => [path, 'changed\n'])))
  const next = world.commitAll()
  await userRepository.updateMirror(signal)
  for (const ms of [1, 10, 40]) {
    const abort = AbortSignal.timeout(ms)
    await workTrees.prepare({ slot: 'coder-001', tip: next }, abort).catch((error) => expect(error).toBe(abort.reason))
    await workTrees.prepare({ slot: 'coder-001', tip }, signal)
    expect(gitIn(world.workspace, 'status', '--porcelain')).toBe('')
    expect(gitIn(world.workspace, 'rev-parse', 'HEAD')).toBe(tip)
  }
})

test('ten slots prepared at once, by two owners of the state, while the mirror is updated, are ten whole clones', async () => {
  const world = worldOfTest(many)
  const { workTrees, userRepository, repository, state, environment, signal, commitAll, gitIn } = world
  const slots = Array.from({ length: 10 }, (_, i) => `coder-${String(i + 1).padStart(3, '0')}`)
  const other = createGitPorts({ repository, state, environment })
  await Promise.all([workTrees.initialize(slots), other.workTrees.initialize(slots)])
  await userRepository.updateMirror(signal)
  const { sha: tip } = await userRepository.target(null)
  const prepared = slots.map((slot, i) => (i % 2 ? workTrees : other.workTrees).prepare({ slot, tip }, signal))
  const updates = []
  for (let i = 0; i < 2; i += 1) {
    writeFiles(repository, { [`new-${i}.txt`]: `${i}\n` })
    commitAll()
    updates.push(userRepository.updateMirror(signal), other.userRepository.updateMirror(signal))
  }
  await Promise.all([...prepared, ...updates])
  const first = listing(workTrees.path('coder-001'))
  expect(Object.keys(first).filter((path) => path.endsWith('.ts'))).toHaveLength(200)
  for (const slot of slots) {
    const path = workTrees.path(slot)
    expect(listing(path)).toEqual(first)
    expect(readFileSync(join(path, `.git/refs/heads/${slot}`), 'utf8')).toBe(`${tip}\n`)
  }
  // One slot for each owner is enough.
  for (const slot of slots.slice(0, 2)) {
    expect(gitIn(workTrees.path(slot), 'status', '--porcelain')).toBe('')
    expect(gitIn(workTrees.path(slot), 'fsck', '--full')).toBe('')
  }
  expect(gitIn(join(state, 'mirror.git'), 'rev-parse', 'refs/heads/main')).toBe(world.git('rev-parse', 'main'))
})
