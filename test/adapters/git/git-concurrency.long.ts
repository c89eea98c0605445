import { expect, onTestFinished, test } from 'vitest'
import { at, makeReadyWorld, writeFiles } from './git-world.ts'

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
